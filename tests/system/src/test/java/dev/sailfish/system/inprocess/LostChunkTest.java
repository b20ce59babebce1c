package dev.sailfish.system.inprocess;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.chaos.BitFlip;
import dev.sailfish.chunkserver.Chunkserver;
import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.jobs.KeyKind;
import dev.sailfish.jobs.RandomJobSpec;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.ChunkReport;
import dev.sailfish.system.OutputFiles;
import dev.sailfish.system.SailfishDaemons;
import dev.sailfish.system.SegmentFiles;
import dev.sailfish.system.StockOutput;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A chunkserver that is gone for good costs the maps that it was home to, and no record. */
class LostChunkTest {
  private static final Duration DEADLINE = Duration.ofSeconds(30);

  /** How many homes the maps of a small job have. */
  private static final int HOMES = 4;

  @TempDir Path temporary;

  /**
   * Four homes: with four servers the maps of one append everything again, with eight half of it.
   */
  @ParameterizedTest
  @ValueSource(ints = {4, 8})
  void shouldRunTheMapsOfThatServerAgainAndGiveTheOutputOfStock(int servers) throws Exception {
    RandomJobSpec spec = specWithSeveralTasks();
    try (SailfishDaemons daemons =
        SailfishDaemons.start(temporary, servers, Map.of("sailfish.metaserver.dead.after", "6s"))) {
      Job job = job(spec);
      job.getConfiguration().set("sailfish.client.deadline", "15s");
      Chunkserver victim = daemons.chunkservers().get(0);
      Set<TaskAttemptID> lost =
          InProcessJob.runWithLoss(
              job, daemons.address(), 1, temporary.resolve("work").toFile(), victim::close);
      Set<Integer> maps = new TreeSet<>();
      lost.forEach(attempt -> maps.add(attempt.getTaskID().getId()));
      assertThat(maps).as("maps that ran again of %s", spec).isNotEmpty();
      int first = maps.iterator().next();
      assertThat(first).isLessThan(HOMES);
      Set<Integer> ofItsHome = new TreeSet<>();
      for (int map = first; map < spec.maps(); map += HOMES) {
        ofItsHome.add(map);
      }
      assertThat(maps).as("maps that ran again of %s", spec).isEqualTo(ofItsHome);
      assertThat(partitionsHeld(daemons) > 0)
          .as("partitions that were not appended again of %s", spec)
          .isEqualTo(servers > HOMES);
    }
    assertOutputOfStock(spec);
  }

  private static long partitionsHeld(SailfishDaemons daemons) throws IOException {
    try (MetaserverClient client = daemons.client()) {
      return client.status().getCountersOrThrow(MetaserverMetric.PARTITIONS_HELD.fullName());
    }
  }

  /**
   * A server that was away may be back before the maps have run again: what is there first is read.
   */
  @Test
  void serverThatComesBackShouldBeReadBeforeTheMapsHaveRunAgain() throws Exception {
    // As many reduces as run at once: one that begins later waits for the maps.
    RandomJobSpec spec =
        spec(
            candidate ->
                candidate.reduces() == 2
                    && candidate.keyKind() != KeyKind.NULL
                    && candidate.keyKind() != KeyKind.BOOLEAN);
    try (SailfishDaemons daemons = SailfishDaemons.start(temporary, 2, Map.of())) {
      Job job = job(spec);
      job.getConfiguration().set("sailfish.client.deadline", "3s");
      InProcessJob.runWithReturn(
          job,
          daemons.address(),
          temporary.resolve("work").toFile(),
          () -> daemons.chunkservers().get(0).close(),
          () -> daemons.restartChunkserver(0, () -> {}));
    }
    assertOutputOfStock(spec);
  }

  /**
   * A block behind the first one is looked at only when records before it were given away, so that
   * the reduce attempt fails: the next one must not find the same damage.
   */
  @Test
  void damageBehindTheFirstBlockShouldRunTheMapsAgain() throws Exception {
    RandomJobSpec spec =
        spec(
            candidate ->
                candidate.keyKind() == KeyKind.TEXT
                    && candidate.reduces() <= 2
                    && candidate.recordsPerMap() > 3000
                    && !candidate.descending()
                    && !candidate.combined());
    try (SailfishDaemons daemons =
        SailfishDaemons.start(
            temporary, 1, Map.of("sailfish.chunkserver.sorted.block.size", "16k"))) {
      Job job = job(spec);
      Set<TaskAttemptID> lost =
          InProcessJob.runWithLoss(
              job,
              daemons.address(),
              1,
              temporary.resolve("work").toFile(),
              () -> damageLastBlock(daemons.chunkservers().get(0), daemons.cluster()));
      assertThat(lost).as("maps that ran again of %s", spec).isNotEmpty();
    }
    assertOutputOfStock(spec);
  }

  private void assertOutputOfStock(RandomJobSpec spec) throws Exception {
    assertThat(OutputFiles.read(temporary.resolve("sailfish")))
        .as("%s", spec)
        .isNotEmpty()
        .isEqualTo(StockOutput.of(spec, temporary.resolve("stock")));
  }

  /** Flips a bit in the last block of the server's largest chunk, behind its back. */
  private void damageLastBlock(Chunkserver server, Credentials cluster) throws IOException {
    InetSocketAddress address = new InetSocketAddress("127.0.0.1", server.port());
    try (ChunkserverClient client = ChunkserverClient.connect(address, "test", cluster, DEADLINE)) {
      ChunkReport largest =
          client.listChunks("").getChunksList().stream()
              .max(Comparator.comparing(ChunkReport::getStoredBytes))
              .orElseThrow();
      ChunkTail tail = client.awaitSorted(largest.getJob(), largest.getChunk(), 10_000, DEADLINE);
      assertThat(tail.entries()).as("blocks of %s", largest).isGreaterThan(1);
      int last = tail.entries() - 1;
      BitFlip.at(
          SegmentFiles.inMemory(largest, temporary),
          tail.entryOffset(last) + tail.entryLength(last) - 1,
          0);
    }
  }

  /** Keys that have one or two values would leave partitions, and a server, without a chunk. */
  private static RandomJobSpec specWithSeveralTasks() {
    return spec(
        spec ->
            spec.maps() >= HOMES
                && spec.reduces() >= 3
                && spec.keyKind() != KeyKind.NULL
                && spec.keyKind() != KeyKind.BOOLEAN);
  }

  private static RandomJobSpec spec(Predicate<RandomJobSpec> wanted) {
    long first = Long.getLong("sailfish.seed", System.nanoTime());
    System.out.println("LostChunkTest seed=" + first);
    SplittableRandom random = new SplittableRandom(first);
    while (true) {
      RandomJobSpec spec = RandomJobSpec.ofSeed(random.nextLong());
      boolean several = spec.maps() >= 3 && spec.maps() <= 8;
      if (several
          && wanted.test(spec)
          && spec.recordsPerMap() > 1000
          && spec.cardinality() > 1000) {
        return spec;
      }
    }
  }

  private Job job(RandomJobSpec spec) throws Exception {
    JobConf conf = new JobConf();
    conf.set("hadoop.tmp.dir", temporary.resolve("tmp").toString());
    Job job = Job.getInstance(conf);
    spec.configure(job);
    job.getConfiguration()
        .set(FileOutputFormat.OUTDIR, temporary.resolve("sailfish").toUri().toString());
    return job;
  }
}
