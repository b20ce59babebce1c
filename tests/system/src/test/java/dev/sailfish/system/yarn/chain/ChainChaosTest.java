package dev.sailfish.system.yarn.chain;

import dev.sailfish.testkit.ScratchDirectory;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Chains of three MapReduce jobs on YARN whose files are in the lineage store, while workers, the
 * leading master and the workflow manager are killed, and what they had is gone: each file that a
 * job has closed is read back, byte for byte.
 *
 * <p>{@code -Dsailfish.seed=N} repeats the plan, {@code -Dsailfish.chain.kills=N} says how many
 * kills there are at least. Logs stay in {@code target/chain}.
 */
@Seeded
class ChainChaosTest {
  private static final Path WORK = Path.of("target/chain").toAbsolutePath();
  private static final int WORDS = 60_000;
  private static final int KINDS = 20_000;

  private final ChainTally tally = new ChainTally();
  private ChainCluster cluster;

  @BeforeEach
  void start() throws Exception {
    ScratchDirectory.delete(WORK);
    Files.createDirectories(WORK);
    cluster = ChainCluster.start(WORK);
  }

  @AfterEach
  void stop() throws Exception {
    if (cluster != null) {
      cluster.stop();
    }
  }

  @Test
  @Tag("long")
  @Timeout(1200)
  void killedFiveTimes(Seed seed) throws Exception {
    kill(5, seed);
  }

  @Test
  @Tag("long")
  @Timeout(3600)
  void killedAHundredTimes(Seed seed) throws Exception {
    kill(Integer.getInteger("sailfish.chain.kills", 100), seed);
  }

  private void kill(int times, Seed seed) throws Exception {
    SplittableRandom random = seed.splittable();
    Path below = Files.createDirectories(WORK.resolve("below"));
    writeText(Files.createDirectories(below.resolve("text")), random.split());
    cluster
        .sailfish()
        .succeed(ChainCluster.DEADLINE, "store", "mount", "/below", below.toUri().toString());
    List<Path> expected = cluster.local(below.resolve("text"), ChainRound.NAMES);
    try {
      for (int round = 0; tally.kills() < times || !tally.hasAllPhases(); round++) {
        try (ChainRound chain = new ChainRound(cluster, round, expected, random.split(), tally)) {
          chain.run();
        }
        System.out.println(tally.line());
      }
    } finally {
      System.out.println(tally.text(seed));
    }
  }

  private static void writeText(Path directory, SplittableRandom random) throws Exception {
    for (int file = 0; file < 2; file++) {
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < WORDS; i++) {
        text.append("word").append(random.nextInt(1, KINDS));
        text.append(random.nextInt(9) == 0 ? '\n' : ' ');
      }
      Files.writeString(directory.resolve("file" + file), text);
    }
  }
}
