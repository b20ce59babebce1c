package dev.sailfish.lineage.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.chaos.process.LeaderKills;
import dev.sailfish.chaos.process.PeerProcesses;
import dev.sailfish.ground.journal.Journal;
import dev.sailfish.lineage.master.LineageMaster;
import dev.sailfish.lineage.master.LineageMasterKey;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * The leader of three masters is killed again and again while clients create, rename and delete
 * files: in the end there is what was acknowledged, and nothing else; no change was made twice, for
 * a rename or delete that is made again fails.
 */
@Seeded
class MasterKillTest {
  private static final byte[] SECRET =
      "the secret of three masters".getBytes(StandardCharsets.US_ASCII);
  private static final int CLIENTS = 4;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path directory;

  private PeerProcesses masters;
  private LeaderKills kills;

  @BeforeEach
  void start() throws IOException {
    masters =
        new PeerProcesses(
            LineageMaster.class,
            LineageMasterKey.ALL.prefix(),
            "sailfish_lineage_master_leads",
            SECRET,
            directory);
    kills = new LeaderKills(masters);
  }

  @AfterEach
  void stop() {
    masters.close();
  }

  @Test
  @Timeout(600)
  void leadersKilledFiveTimes(Seed seed) throws Exception {
    kill(5, seed);
  }

  /** Nothing else runs then: how long there is no leader is up to the masters. */
  @Test
  @Tag("long")
  @Timeout(1500)
  void leadersKilledFiftyTimes(Seed seed) throws Exception {
    kill(50, seed);
    assertThat(kills.percentileMs(99))
        .as("time without a leader in ms: %s", kills.withoutLeaderMs())
        .isLessThanOrEqualTo(Journal.ELECTION_TIMEOUT_MS + 1000);
  }

  private void kill(int times, Seed seed) throws Exception {
    masters.awaitLeader();
    try (NamespaceLoads loads =
        new NamespaceLoads(masters.addresses(), SECRET, CLIENTS, seed, kills::acknowledged)) {
      kills.kill(times, loads.startBurst(seed));
      loads.end();
      kills.report(Path.of("target", "master-kills.txt"), loads.changes());
      loads.assertAllIsThere();
    }
  }
}
