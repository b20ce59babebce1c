package dev.sailfish.lineage.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.lineage.master.LineageMaster;
import dev.sailfish.lineage.master.LineageMasterKey;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.Refusal;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Paths that nothing can have, and files of others, by every operation of a real master: a clear
 * refusal, nothing has changed, also when the master has read its journal again.
 */
@Timeout(120)
class NamespaceLimitsTest {
  private static final StoreUser ALICE = StoreUser.newBuilder().setName("alice").build();
  private static final StoreUser BOB = StoreUser.newBuilder().setName("bob").build();

  /** A path may have 8192 characters: this many names of one letter. */
  private static final int DEEPEST = 4096;

  @TempDir private Path directory;
  private LineageMaster master;
  private NamespaceClient alice;

  @BeforeEach
  void start() throws IOException {
    startMaster();
    try (NamespaceClient root = client(1, TestStore.ROOT)) {
      root.makeDirectories("/home", 0755);
      root.makeDirectories("/home/alice", 0755);
      root.setOwner("/home/alice", "alice", "alice");
    }
    alice = client(2, ALICE);
  }

  private void startMaster() throws IOException {
    List<String> settings =
        List.of(
            "host=127.0.0.1",
            "port=0",
            "web.port=0",
            "authentication=none",
            "journal.dir=" + directory);
    Path file = directory.resolve("master.properties");
    Files.write(file, settings.stream().map(one -> LineageMasterKey.ALL.prefix() + one).toList());
    master = LineageMaster.start(Settings.read(file));
  }

  private NamespaceClient client(long id, StoreUser user) {
    List<InetSocketAddress> masters = List.of(new InetSocketAddress("127.0.0.1", master.port()));
    return new NamespaceClient(Configs.of(masters, Credentials.none(), user), id);
  }

  @AfterEach
  void stop() {
    alice.close();
    master.close();
  }

  private static CreateFile file(String path) {
    return TestStore.file(path);
  }

  private static List<String> names(NamespaceClient client, String path) throws IOException {
    List<String> names = new ArrayList<>();
    client.list(path, entry -> names.add(entry.getName()));
    return names;
  }

  private static void assertRefused(Refusal.Reason reason, ThrowingCallable what) {
    assertThatThrownBy(what)
        .isInstanceOfSatisfying(
            StoreRefusedException.class,
            e -> {
              assertThat(e.reason()).as(e.getMessage()).isEqualTo(reason);
              assertThat(e.getMessage()).hasSizeBetween(10, 300);
            });
  }

  /** Every operation that takes a path, with it in each place. */
  private static List<ThrowingCallable> operations(NamespaceClient client, String path) {
    return List.of(
        () -> client.create(file(path)),
        () -> client.makeDirectories(path, 0755),
        () -> client.delete(path, true),
        () -> client.rename(path, "/home/alice/to", true),
        () -> client.rename("/home/alice/there", path, true),
        () -> client.setMode(path, 0777),
        () -> client.setOwner(path, "alice", ""),
        () -> client.setModified(path, 1),
        () -> client.stat(path),
        () -> client.open(path, 0),
        () -> client.list(path, "", 0),
        () -> client.listPlaces(path, ""));
  }

  static Stream<String> impossible() {
    return Stream.of(
        "/home/alice/../bob",
        "/..",
        "/home/alice/..",
        "/home/./alice",
        "/home//alice",
        "home/alice",
        "../alice",
        "/home/alice/",
        "/home/alice/a\0b",
        "/home/alice/" + "n".repeat(256),
        "/home/alice/" + "\u00e9".repeat(128),
        "/home/alice/" + "n".repeat(10_000),
        "/d".repeat(DEEPEST) + "/d");
  }

  @ParameterizedTest
  @MethodSource("impossible")
  void nothingTakesAPathThatNothingCanHave(String path) throws IOException {
    alice.complete(alice.create(file("/home/alice/there")).getEntry().getFid(), 0, List.of());
    for (ThrowingCallable operation : operations(alice, path)) {
      assertRefused(Refusal.Reason.INVALID, operation);
    }
    assertThat(names(alice, "/home")).containsExactly("alice");
    assertThat(names(alice, "/home/alice")).containsExactly("there");
  }

  /** Those that are as long as can be are as good as others, from the journal too. */
  @Test
  void theLongestNamesAndTheDeepestPathAreTaken() throws IOException {
    String longest = "/home/alice/" + "n".repeat(255);
    String deepest = "/home/alice" + "/d".repeat((2 * DEEPEST - "/home/alice".length()) / 2);
    alice.makeDirectories(longest, 0755);
    alice.makeDirectories(deepest, 0755);
    master.close();
    startMaster();
    alice.close();
    alice = client(3, ALICE);
    assertThat(alice.stat(longest).getName()).hasSize(255);
    assertThat(alice.stat(deepest).getName()).isEqualTo("d");
    // What is moved deeper than a path can say is out of reach, and goes with what is above it.
    alice.makeDirectories("/home/alice/e", 0755);
    alice.rename("/home/alice/d", "/home/alice/e/d", false);
    assertRefused(Refusal.Reason.NOT_FOUND, () -> alice.stat(deepest));
    alice.delete("/home/alice/e", true);
    assertThat(names(alice, "/home/alice")).containsExactly("n".repeat(255));
  }

  @Test
  void whatIsForeignIsRefused() throws IOException {
    FileEntry secret = alice.create(file("/home/alice/private/secret")).getEntry();
    alice.complete(secret.getFid(), 0, List.of());
    alice.setMode("/home/alice/private/secret", 0600);
    alice.setMode("/home/alice/private", 0700);
    alice.complete(alice.create(file("/home/alice/there")).getEntry().getFid(), 0, List.of());
    FileEntry writing = alice.create(file("/home/alice/writing")).getEntry();
    try (NamespaceClient bob = client(4, BOB)) {
      for (ThrowingCallable operation : operations(bob, "/home/alice/private/secret")) {
        assertRefused(Refusal.Reason.DENIED, operation);
      }
      // Who knows the id of a file that is being written is not its writer.
      assertRefused(Refusal.Reason.NOT_WRITING, () -> bob.complete(writing.getFid(), 0, List.of()));
      assertRefused(Refusal.Reason.NOT_WRITING, () -> bob.abandon(writing.getFid()));
    }
    assertThat(names(alice, "/home/alice")).containsExactly("private", "there", "writing");
    assertThat(alice.stat("/home/alice/private/secret").getOwner()).isEqualTo("alice");
  }
}
