package dev.sailfish.metaserver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.metaserver.state.CoreFixture;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.ReportUnreadableRequest;
import dev.sailfish.testkit.ChildJvm;
import dev.sailfish.testkit.MemoryDisk;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A journal whose disk is full: a JVM of its own, in a mount namespace where that is allowed, fills
 * a small file system.
 */
@Timeout(120)
class FullJournalDiskTest {
  @TempDir private Path root;

  @Test
  void theMetaserverEndsWithASentenceAndAcknowledgesNothingMore() throws Exception {
    MemoryDisk disk = new MemoryDisk(root.resolve("small"), "size=4m");
    disk.assume();
    List<String> command =
        ChildJvm.command(Filler.class, List.of("-Xmx128m"), disk.mountPoint().toString());
    int exit = disk.run(root.resolve("filler.log"), Duration.ofSeconds(90), command);
    String log = Files.readString(root.resolve("filler.log"));
    assertThat(exit).as(log).isZero();
    assertThat(log).contains("the journal cannot be written", "No space left on device");
  }

  /** Creates jobs until the journal fails; then removes a filler file and starts again. */
  static final class Filler {
    private static final Duration DEADLINE = Duration.ofSeconds(15);

    private Filler() {}

    private static Metaserver start(Path directory) throws IOException {
      String prefix = "sailfish.metaserver.";
      return Metaserver.start(
          MetaserverConfig.of(
              Map.of(
                  prefix + "host", "127.0.0.1",
                  prefix + "port", "0",
                  prefix + "web.port", "0",
                  prefix + "authentication", "none",
                  prefix + "journal.dir", directory.resolve("journal").toString())));
    }

    private static MetaserverClient connect(Metaserver metaserver) throws IOException {
      return MetaserverClient.connect(
          new InetSocketAddress("127.0.0.1", metaserver.port()), "test", DEADLINE);
    }

    public static void main(String[] arguments) throws Exception {
      Path directory = Path.of(arguments[0]);
      Path filler = directory.resolve("filler");
      Files.write(filler, new byte[2 << 20]);
      List<String> acknowledged = fill(directory);
      Files.delete(filler);
      try (Metaserver again = start(directory);
          MetaserverClient client = connect(again)) {
        List<String> known =
            client.listJobs().getJobsList().stream().map(job -> job.getJob()).toList();
        if (!known.containsAll(acknowledged)) {
          throw new AssertionError(
              "acknowledged=" + acknowledged.size() + " known=" + known.size());
        }
      }
    }

    private static List<String> fill(Path directory) throws Exception {
      List<String> acknowledged = new ArrayList<>();
      ReportUnreadableRequest.Builder large = ReportUnreadableRequest.newBuilder();
      for (int i = 0; i < 2_500; i++) {
        large.addChunks(i);
      }
      try (Metaserver metaserver = start(directory)) {
        try (MetaserverClient client = connect(metaserver)) {
          for (int i = 0; i < 10_000; i++) {
            String job = "job_1_" + i;
            client.createIfiles(CoreFixture.job(job, 1).build());
            acknowledged.add(job);
            client.reportUnreadable(large.setJob(job).build());
          }
          throw new AssertionError("the disk was never full");
        } catch (IOException e) {
          String failure = metaserver.failure().get(30, TimeUnit.SECONDS);
          System.out.println("failure: " + failure + "; the client saw: " + e);
        }
      }
      return acknowledged;
    }
  }
}
