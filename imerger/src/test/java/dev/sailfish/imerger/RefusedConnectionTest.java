package dev.sailfish.imerger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.protocol.wire.DescribeJobResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Chunkservers without a process, whose port refuses connections, and readers that mind. */
@Timeout(120)
class RefusedConnectionTest {
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  /** What a busy machine may add. */
  private static final Duration SLACK = Duration.ofSeconds(10);

  private static final int MAPS = 4;
  private static final int[] WINNERS = {0, 0, 1, 0, 2, 0, 3, 0};

  @TempDir Path directory;

  private final ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor();

  @AfterEach
  void stop() throws InterruptedException {
    later.shutdownNow();
    assertThat(later.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
  }

  /** Map m has blocks in chunk m + 1, more than are read ahead. */
  private static Partition partition() {
    Partition partition =
        new Partition(KeyOrder.normalized(KeyEncoding.RAW), CodecId.NONE)
            .withSortedBlockBytes(60_000);
    for (int map = 0; map < MAPS; map++) {
      List<Partition.Item> items = new ArrayList<>();
      for (int i = 0; i < 2000; i++) {
        items.add(new Partition.Item(new byte[] {(byte) (i >> 8), (byte) i}, new byte[1000]));
      }
      partition.append(map, 0, map + 1, items);
    }
    return partition;
  }

  private ImergerConfig config(Cluster cluster, Duration patience) {
    return new ImergerConfig(
        List.of(cluster.metaserver().address()),
        1 << 20,
        directory,
        DEADLINE,
        patience,
        Credentials.none(),
        Network.SOCKETS);
  }

  private static Duration since(long begin) {
    return Duration.ofNanos(System.nanoTime() - begin);
  }

  private static LostBlocksException lossOf(Imerger imerger) {
    return catchThrowableOfType(
        LostBlocksException.class,
        () -> {
          imerger.start(WINNERS);
          readAll(imerger);
        });
  }

  private static void readAll(Imerger imerger) throws IOException {
    while (imerger.next()) {
      assertThat(imerger.valueLength()).isEqualTo(1000);
    }
  }

  /** Starts a server that is down again after some time. */
  private Future<ScriptedChunkserver> restartLater(ScriptedChunkserver server, Duration time) {
    return later.schedule(server::restarted, time.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Test
  void aServerThatRefusesIsLostAfterAFewRetries() throws IOException {
    try (Cluster cluster = new Cluster(partition(), 2);
        Imerger imerger = cluster.open(config(cluster, PATIENCE))) {
      cluster.serverOf(1).close();
      long begin = System.nanoTime();
      LostBlocksException loss = lossOf(imerger);
      assertThat(since(begin)).isBetween(PATIENCE, PATIENCE.plus(SLACK));
      assertThat(loss.mapAttemptPairs()).containsExactly(0, 0, 2, 0);
      assertThat(loss).hasMessageContaining("refuses connections").hasMessageContaining("2000 ms");
      assertThat(cluster.metaserver().unreadable()).containsExactlyInAnyOrder(1L, 3L);
      assertThat(imerger.statistics().reconnects()).as("tries").isGreaterThan(3);
    }
  }

  @Test
  void allThatRefuseAreFoundInTheSameTime() throws IOException {
    Duration patience = Duration.ofSeconds(4);
    try (Cluster cluster = new Cluster(partition(), 4);
        Imerger imerger = cluster.open(config(cluster, patience))) {
      for (int server = 1; server < 4; server++) {
        cluster.serverOf(server).close();
      }
      long begin = System.nanoTime();
      assertThat(lossOf(imerger).mapAttemptPairs()).containsExactly(0, 0, 1, 0, 2, 0);
      // One after the other it would be three times as long.
      assertThat(since(begin)).isBetween(patience, patience.multipliedBy(3).minusMillis(1));
      assertThat(cluster.metaserver().unreadable()).containsExactlyInAnyOrder(1L, 2L, 3L);
    }
  }

  @Test
  void inTheMiddleOfAReadAllThatTheServerHadIsNamed() throws IOException {
    try (Cluster cluster = new Cluster(partition(), 2);
        Imerger imerger = cluster.open(config(cluster, PATIENCE))) {
      imerger.start(WINNERS);
      assertThat(imerger.next()).isTrue();
      cluster.serverOf(1).close();
      long begin = System.nanoTime();
      LostBlocksException loss =
          catchThrowableOfType(LostBlocksException.class, () -> readAll(imerger));
      assertThat(since(begin)).isBetween(PATIENCE, PATIENCE.plus(SLACK));
      assertThat(loss.mapAttemptPairs()).as(loss.getMessage()).containsExactly(0, 0, 2, 0);
      assertThat(cluster.metaserver().unreadable()).containsExactlyInAnyOrder(1L, 3L);
    }
  }

  @Test
  void whatHasMovedElsewhereMeanwhileIsNotLostWithTheServer() throws IOException {
    Partition partition = partition();
    try (Cluster cluster = new Cluster(partition, 2);
        Imerger imerger = cluster.open(config(cluster, PATIENCE))) {
      imerger.start(WINNERS);
      assertThat(imerger.next()).isTrue();
      cluster.serverOf(2).put(3, partition.file(3));
      partition.place(3, cluster.serverOf(2).address());
      cluster.metaserver().describe(partition.describe());
      cluster.serverOf(1).close();
      LostBlocksException loss =
          catchThrowableOfType(LostBlocksException.class, () -> readAll(imerger));
      assertThat(loss.mapAttemptPairs()).as(loss.getMessage()).containsExactly(0, 0);
      assertThat(cluster.metaserver().unreadable()).containsExactly(1L);
    }
  }

  @Test
  void aServerThatComesBackWithinTheRetriesLosesNothing() throws Exception {
    Partition partition = partition();
    try (Cluster cluster = new Cluster(partition, 2);
        Imerger before = cluster.open(config(cluster, DEADLINE.dividedBy(2)));
        Imerger middle = cluster.open(config(cluster, DEADLINE.dividedBy(2)))) {
      cluster.serverOf(1).close();
      Future<ScriptedChunkserver> restart = restartLater(cluster.serverOf(1), PATIENCE);
      before.start(WINNERS);
      cluster.checkRest(before, WINNERS);
      middle.start(WINNERS);
      assertThat(middle.next()).isTrue();
      ScriptedChunkserver again = restart.get(10, TimeUnit.SECONDS);
      again.close();
      restart = restartLater(again, PATIENCE);
      readAll(middle);
      assertThat(middle.statistics().records()).isEqualTo(partition.expected(WINNERS).size());
      restart.get(10, TimeUnit.SECONDS).close();
      assertThat(cluster.metaserver().unreadable()).isEmpty();
      assertThat(cluster.metaserver().descriptions()).as("asked about the server").isPositive();
    }
  }

  @Test
  void whatAnotherReaderFoundIsNotWaitedForAgain() throws IOException {
    Partition partition = partition();
    try (Cluster cluster = new Cluster(partition, 2);
        Imerger imerger = cluster.open(config(cluster, DEADLINE.dividedBy(2)))) {
      cluster.metaserver().describe(doubted(partition));
      cluster.serverOf(1).close();
      long begin = System.nanoTime();
      LostBlocksException loss = lossOf(imerger);
      assertThat(since(begin)).isLessThan(SLACK);
      assertThat(loss.mapAttemptPairs()).containsExactly(0, 0, 2, 0);
      assertThat(loss).hasMessageContaining("another reader could not read there");
      assertThat(cluster.metaserver().unreadable()).containsExactlyInAnyOrder(1L, 3L);
    }
  }

  @Test
  void aDoubtedServerThatAnswersIsRead() throws IOException {
    Partition partition = partition();
    try (Cluster cluster = new Cluster(partition, 2)) {
      cluster.metaserver().describe(doubted(partition));
      cluster.checkMerge(config(cluster, Duration.ZERO), WINNERS);
    }
  }

  @Test
  void aPatientReaderWaitsForAServerThatRefuses() throws Exception {
    Partition partition = partition();
    try (Cluster cluster = new Cluster(partition, 2)) {
      cluster.metaserver().describe(doubted(partition));
      cluster.serverOf(1).close();
      Future<ScriptedChunkserver> restart = restartLater(cluster.serverOf(1), PATIENCE);
      cluster.checkMerge(cluster.config(1 << 20, directory, DEADLINE), WINNERS);
      restart.get(10, TimeUnit.SECONDS).close();
      assertThat(cluster.metaserver().descriptions()).isZero();
    }
  }

  private static DescribeJobResponse doubted(Partition partition) {
    DescribeJobResponse.Builder described = partition.describe().toBuilder();
    for (int i = 0; i < described.getChunksCount(); i++) {
      described.setChunks(i, described.getChunks(i).toBuilder().setDoubted(true));
    }
    return described.build();
  }
}
