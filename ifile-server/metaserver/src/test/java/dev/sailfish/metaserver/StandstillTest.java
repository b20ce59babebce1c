package dev.sailfish.metaserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** A metaserver without others stands still, as in a long garbage collection. */
@Timeout(120)
class StandstillTest {
  private static final int STANDSTILL_S = 2;

  /** In which Raft notices the standstill, and would have elected the same peer again. */
  private static final Duration AFTERWARDS = Duration.ofSeconds(2);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path directory;

  /** Nobody else could lead, so there is no time in which clients are refused. */
  @Test
  void oneThatIsAloneGoesOnLeading() throws Exception {
    try (MetaserverProcess metaserver = MetaserverProcess.in(directory)) {
      metaserver.launch();
      metaserver.awaitLead();
      metaserver.standStill(STANDSTILL_S);
      await()
          .atMost(MetaserverProcess.DEADLINE)
          .pollInterval(Duration.ofMillis(20))
          .during(AFTERWARDS)
          .until(metaserver::leads);
      assertThat(metaserver.log()).doesNotContain("does not lead any more");
    }
  }
}
