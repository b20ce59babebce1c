package dev.sailfish.system.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.iappender.Iappender;
import dev.sailfish.iappender.IappenderConfig;
import dev.sailfish.iappender.IfileSpec;
import dev.sailfish.imerger.Imerger;
import dev.sailfish.imerger.ImergerConfig;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.system.SailfishDaemons;
import dev.sailfish.testkit.ChildJvm;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A task pays for encryption, which loads many classes, only when its job is encrypted; and for an
 * introduction only when the metaserver does not know its job.
 */
class TaskClassesTest {
  private static final long DEADLINE_SECONDS = 120;

  @TempDir Path temporary;

  /** A map and a reduce task, as far as the clients go. */
  static final class OneTask {
    private static final String JOB = "job_1_0001";
    private static final byte[] SECRET = new byte[32];

    private OneTask() {}

    /** Arguments: port of the metaserver, whether the job is encrypted, directory for spills. */
    public static void main(String[] arguments) throws IOException {
      List<InetSocketAddress> metaservers =
          List.of(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0])));
      Credentials credentials = Credentials.ofJob(JOB, SECRET);
      Duration deadline = Duration.ofSeconds(DEADLINE_SECONDS / 2);
      KeyOrder order = KeyOrder.normalized(KeyEncoding.RAW);
      IfileSpec spec =
          new IfileSpec(JOB, 1, order, CodecId.NONE, Boolean.parseBoolean(arguments[1]), 0);
      IappenderConfig config =
          new IappenderConfig(metaservers, "host", "test", 0, 0, 0, deadline, 0, credentials);
      try (Iappender appender = Iappender.open(config, spec, 0, 0)) {
        appender.append(0, new byte[10], 0, 10, new byte[90], 0, 90);
        appender.commit();
      }
      ImergerConfig merge =
          new ImergerConfig(metaservers, 4 << 20, Path.of(arguments[2]), deadline, credentials);
      try (Imerger imerger = Imerger.open(merge, JOB, 0, order, "test")) {
        imerger.start(new int[] {0, 0});
        if (!imerger.next() || imerger.next()) {
          throw new IOException("one record was appended, and another number came back");
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void ciphersShouldBeLoadedWhenTheyAreUsedOnly(boolean encrypted) throws Exception {
    Path log = temporary.resolve("classes.log");
    Path output = temporary.resolve("output.log");
    try (SailfishDaemons daemons = SailfishDaemons.start(temporary, 1, Map.of())) {
      // As another task of the job has done before.
      Credentials other = daemons.task(OneTask.JOB, OneTask.SECRET);
      Duration deadline = Duration.ofSeconds(DEADLINE_SECONDS);
      MetaserverClient.connect(daemons.address(), "other", other, deadline).close();
      Process task =
          new ProcessBuilder(
                  ChildJvm.command(
                      OneTask.class,
                      List.of("-Xlog:class+load=info:file=" + log + ":none:filecount=0"),
                      Integer.toString(daemons.address().getPort()),
                      Boolean.toString(encrypted),
                      temporary.resolve("spill").toString()))
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      boolean ended = task.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS);
      task.destroyForcibly();
      assertThat(ended).as("ended in time").isTrue();
      assertThat(task.exitValue()).as(Files.readString(output)).isZero();
    }
    List<String> classes = Files.readAllLines(log);
    assertThat(classes).anyMatch(line -> line.startsWith("dev.sailfish.imerger.Imerger "));
    assertThat(classes)
        .noneMatch(line -> line.startsWith("dev.sailfish.ground.wire.introduction."));
    List<String> ciphers =
        classes.stream()
            .filter(line -> line.startsWith("javax.crypto.") || line.contains("DataCipher"))
            .toList();
    assertThat(ciphers.isEmpty()).as("%s", ciphers).isEqualTo(!encrypted);
  }
}
