package dev.sailfish.lineage.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.ground.wire.token.DelegationKey;
import dev.sailfish.lineage.protocol.LineageService;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a process of another user of the operating system gets of a worker's files. */
@Timeout(120)
class ForeignProcessTest {
  private static final String NOBODY = "65534";
  private static final String FOR_ALL = "rwxr-xr-x";
  private static final String CONTENT = "for-everybody";

  @TempDir private Path directory;

  /** Only root becomes another user. */
  private static boolean mayBecomeNobody() throws IOException, InterruptedException {
    try {
      Process process =
          new ProcessBuilder(asNobody(List.of("test", "-r", System.getProperty("java.home"))))
              .inheritIO()
              .start();
      return process.waitFor(20, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException e) {
      return e.getMessage() == null; // there is no such command
    }
  }

  private static List<String> asNobody(List<String> command) {
    List<String> all =
        new ArrayList<>(
            List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups"));
    all.addAll(command);
    return all;
  }

  @Test
  void itReadsAndWritesOverTheNetwork() throws Exception {
    assumeTrue(mayBecomeNobody(), "this process cannot become another user");
    Path file = directory.resolve("secret");
    ClusterSecret.create(file);
    byte[] secret = ClusterSecret.read("test", file);
    Map<String, String> settings =
        Map.of("authentication", "secret", "cluster.secret.file", file.toString());
    try (TestStore store = new TestStore(directory, settings, Map.of())) {
      store.startWorker(1);
      StoreUser root = TestStore.ROOT;
      StoreClient client = store.client(Credentials.ofCluster(secret), root, Set.of("localhost"));
      client.namespace().setMode("/", 0777);
      try (FileOutput output = client.create(TestStore.file("/open"))) {
        output.write(CONTENT.getBytes(StandardCharsets.US_ASCII));
      }
      long shared = store.metric(1, "blocks_shared_total");
      String said = run(store, secret);
      assertThat(said).contains("read " + CONTENT).contains("written").contains("denied ");
      assertThat(store.metric(1, "blocks_shared_total")).isGreaterThan(shared);
      assertThat(store.metric(1, "read_bytes_total")).isEqualTo(CONTENT.length());
      assertThat(client.namespace().stat("/copy").getOwner()).isEqualTo("bob");
      String path = said.substring(said.indexOf("denied ") + "denied ".length()).strip();
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(Path.of(path))))
          .isEqualTo("rw-------");
    }
  }

  private String run(TestStore store, byte[] secret) throws Exception {
    Path shared =
        Files.createTempDirectory(
            "foreign-process-",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(FOR_ALL)));
    try {
      return run(store, secret, copyClassPath(shared));
    } finally {
      try (Stream<Path> files = Files.walk(shared)) {
        for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(each);
        }
      }
    }
  }

  /** This process's class path may be in a home that no other user may enter. */
  private static String copyClassPath(Path shared) throws IOException {
    List<String> copies = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      Path from = Path.of(entry);
      if (Files.exists(from)) {
        Path to = shared.resolve(copies.size() + "-" + from.getFileName());
        try (Stream<Path> files = Files.walk(from)) {
          for (Path each : files.toList()) {
            Path copy = to.resolve(from.relativize(each).toString());
            Files.copy(each, copy);
            Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString(FOR_ALL));
          }
        }
        copies.add(to.toString());
      }
    }
    return String.join(File.pathSeparator, copies);
  }

  private String run(TestStore store, byte[] secret, String classPath) throws Exception {
    DelegationKey tokens = new DelegationKey(secret, LineageService.TOKENS, Duration.ofHours(1));
    byte[] identifier = tokens.issue("bob", "", "", System.currentTimeMillis()).identifier();
    Base64.Encoder text = Base64.getUrlEncoder();
    Path output = directory.resolve("output");
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            classPath,
            ForeignProcess.class.getName(),
            Integer.toString(store.masters().get(0).getPort()),
            "bob",
            text.encodeToString(identifier),
            text.encodeToString(tokens.password(identifier)),
            "/open",
            "/copy");
    Process process =
        new ProcessBuilder(asNobody(command))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      String said = Files.readString(output);
      assertThat(process.exitValue()).as(said).isZero();
      return said;
    } finally {
      process.destroyForcibly();
    }
  }
}
