package dev.sailfish.imerger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.client.SlowServerException;
import dev.sailfish.protocol.wire.DescribeJobResponse;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Seeded
class ImergerFaultTest {
  @TempDir Path directory;

  /** Three maps; map m has blocks in chunks m+1 and 10. */
  private static Partition small() {
    Partition partition =
        new Partition(KeyOrder.normalized(KeyEncoding.RAW), CodecId.NONE).withSortedBlockBytes(100);
    for (int map = 0; map < 3; map++) {
      partition.append(map, 0, map + 1, items(map));
      partition.append(map, 0, 10, items(map + 50));
    }
    return partition;
  }

  private static List<Partition.Item> items(int from) {
    List<Partition.Item> items = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      items.add(new Partition.Item(new byte[] {(byte) (from + i), 1}, new byte[20]));
    }
    return items;
  }

  private static final int[] ALL = {0, 0, 1, 0, 2, 0};

  private LostBlocksException lost(Cluster cluster, Duration deadline, int... winners) {
    return catchThrowableOfType(
        LostBlocksException.class,
        () -> {
          try (Imerger imerger = cluster.open(cluster.config(32 << 20, directory, deadline))) {
            imerger.start(winners);
            while (imerger.next()) {
              assertThat(imerger.keyLength()).isEqualTo(2);
            }
          }
        });
  }

  private LostBlocksException lost(Cluster cluster) {
    return lost(cluster, Duration.ofSeconds(10), ALL);
  }

  @Test
  void connectionsThatBreakAreReplaced(Seed seed) throws IOException {
    RandomPartition drawn =
        new RandomPartition(
            seed.value(), KeyOrder.normalized(KeyEncoding.TEXT), CodecId.LZ4, 10, 6);
    SplittableRandom random = seed.splittable();
    try (Cluster cluster = new Cluster(drawn.partition(), 2)) {
      for (long server = 0; server < 2; server++) {
        cluster
            .serverOf(server)
            .setFault(
                (operation, chunk, count, payload) -> {
                  synchronized (random) {
                    if (random.nextInt(4) == 0) {
                      throw new ScriptedServer.Cut();
                    }
                    return payload;
                  }
                });
      }
      cluster.checkMerge(cluster.config(directory), drawn.winners());
    }
  }

  @Test
  void aBlockThatIsDamagedOnceIsReadAgain() throws IOException {
    try (Cluster cluster = new Cluster(small(), 1)) {
      cluster
          .serverOf(1)
          .setFault(
              (operation, chunk, count, payload) ->
                  operation == IfileService.READ && count == 1
                      ? damaged(payload, payload.length / 2)
                      : payload);
      assertThat(cluster.checkMerge(cluster.config(directory), ALL).rereads()).isEqualTo(1);
    }
  }

  @Test
  void aTailThatIsDamagedOnceIsFetchedAgain() throws IOException {
    try (Cluster cluster = new Cluster(small(), 1)) {
      cluster
          .serverOf(1)
          .setFault(
              (operation, chunk, count, payload) ->
                  operation == IfileService.AWAIT_SORTED && count == 2
                      ? damaged(payload, 30)
                      : payload);
      assertThat(cluster.checkMerge(cluster.config(directory), ALL).rereads()).isEqualTo(1);
    }
  }

  private static byte[] damaged(byte[] payload, int at) {
    byte[] copy = payload.clone();
    copy[at] ^= 4;
    return copy;
  }

  @Test
  void aBlockThatStaysDamagedIsLost() throws IOException {
    for (Operation<?, ?> damagedOperation : List.of(IfileService.READ, IfileService.AWAIT_SORTED)) {
      try (Cluster cluster = new Cluster(small(), 1)) {
        cluster
            .serverOf(1)
            .setFault(
                (operation, chunk, count, payload) ->
                    operation == damagedOperation && chunk == 2
                        ? damaged(payload, payload.length - 30)
                        : payload);
        LostBlocksException error = lost(cluster);
        assertThat(error.mapAttemptPairs()).containsExactly(1, 0);
        assertThat(error).hasMessageContaining("chunk=2").hasMessageContaining("damaged");
      }
    }
  }

  @Test
  void aFlippedBitAnywhereIsNeverDelivered(Seed seed) throws IOException {
    SplittableRandom random = seed.splittable();
    for (int round = 0; round < 60; round++) {
      Partition partition = small();
      byte[] file;
      try (Cluster cluster = new Cluster(partition, 1)) {
        file = partition.file(10).clone();
        // Not in the footer: the scripted server itself finds the tail by it.
        int end = file.length - ChunkTail.FOOTER_LENGTH;
        file[random.nextInt(128, end)] ^= (byte) (1 << random.nextInt(8));
        cluster.serverOf(10).put(10, file);
        LostBlocksException error = null;
        try {
          cluster.checkMerge(cluster.config(directory), ALL);
        } catch (LostBlocksException e) {
          error = e;
        }
        if (error != null) {
          assertThat(error.mapAttemptPairs()).as(error.getMessage()).containsExactly(ALL);
        }
      }
    }
  }

  @Test
  void aChunkThatItsServerDoesNotHoldIsLost() throws IOException {
    for (Status status : List.of(Status.CHUNK_UNKNOWN, Status.CHUNK_LOST)) {
      for (Operation<?, ?> refused : List.of(IfileService.READ, IfileService.AWAIT_SORTED)) {
        try (Cluster cluster = new Cluster(small(), 2)) {
          cluster
              .serverOf(10)
              .setFault(
                  (operation, chunk, count, payload) -> {
                    if (operation == refused && chunk == 10) {
                      throw new ScriptedServer.Refusal(status);
                    }
                    return payload;
                  });
          LostBlocksException error = lost(cluster);
          assertThat(error.mapAttemptPairs()).as(error.getMessage()).containsExactly(ALL);
          assertThat(error).hasMessageContaining("chunk=a").hasMessageContaining(status.name());
        }
      }
    }
  }

  @Test
  void allLossesAreNamedAtOnce() throws IOException {
    Partition partition = small();
    try (Cluster cluster = new Cluster(partition, 3)) {
      partition.setState(2, ChunkState.LOST);
      LostBlocksException error = lost(cluster, Duration.ofSeconds(10), 0, 0, 1, 0, 2, 0, 8, 3);
      assertThat(error.mapAttemptPairs()).containsExactly(1, 0, 8, 3);
      partition.setState(2, ChunkState.SORTED);
      cluster.serverOf(1).close();
      cluster.serverOf(2).close();
      error = lost(cluster, Duration.ofMillis(500), ALL);
      assertThat(error.mapAttemptPairs()).as(error.getMessage()).containsExactly(ALL);
      assertThat(error).hasMessageContaining("chunk=1 ").hasMessageContaining("chunk=2 ");
    }
  }

  @Test
  void aStartWithNewWinnersFollowsALoss() throws IOException {
    Partition partition = small();
    partition.append(1, 1, 20, items(1));
    try (Cluster cluster = new Cluster(partition, 2)) {
      partition.setState(2, ChunkState.LOST);
      try (Imerger imerger = cluster.open(cluster.config(directory))) {
        assertThatThrownBy(() -> imerger.start(ALL)).isInstanceOf(LostBlocksException.class);
        imerger.start(new int[] {0, 0, 1, 1, 2, 0});
        cluster.checkRest(imerger, 0, 0, 1, 1, 2, 0);
      }
    }
  }

  @Test
  void aBlockThatTheChunkDoesNotHoldIsLost() throws IOException {
    Partition partition = small();
    try (Cluster cluster = new Cluster(partition, 1)) {
      Partition other = new Partition(partition.order(), CodecId.NONE);
      other.append(0, 0, 10, items(0));
      cluster.serverOf(10).put(10, other.file(10));
      LostBlocksException error = lost(cluster);
      assertThat(error.mapAttemptPairs()).as(error.getMessage()).containsExactly(ALL);
      assertThat(error).hasMessageContaining("blocks=0").hasMessageContaining("blocks=3");
    }
  }

  @Test
  void aBusyServerIsAskedAgain() throws IOException {
    Status[] retryable = {Status.BUSY, Status.DEADLINE, Status.INTERNAL};
    try (Cluster cluster = new Cluster(small(), 1)) {
      cluster
          .serverOf(1)
          .setFault(
              (operation, chunk, count, payload) -> {
                if (count <= 3) {
                  throw new ScriptedServer.Refusal(retryable[count - 1]);
                }
                return payload;
              });
      cluster.checkMerge(cluster.config(directory), ALL);
      assertThat(cluster.serverOf(1).awaits()).isEqualTo(7);
    }
  }

  @Test
  void aServerThatIsBusyAllTheTimeIsNotLost() throws IOException {
    for (Status status : List.of(Status.BUSY, Status.DEADLINE)) {
      for (Operation<?, ?> refused : List.of(IfileService.READ, IfileService.AWAIT_SORTED)) {
        try (Cluster cluster = new Cluster(small(), 1)) {
          cluster
              .serverOf(1)
              .setFault(
                  (operation, chunk, count, payload) -> {
                    if (operation == refused) {
                      throw new ScriptedServer.Refusal(status);
                    }
                    return payload;
                  });
          ImergerConfig config = cluster.config(32 << 20, directory, Duration.ofMillis(500));
          assertThatThrownBy(() -> cluster.checkMerge(config, ALL))
              .isInstanceOf(SlowServerException.class)
              .hasMessageContaining("is too busy, nothing is lost")
              .hasMessageContaining("limit=500 ms");
        }
      }
    }
  }

  @Test
  void aServerThatNeverAnswersIsLostAtTheDeadline() throws IOException {
    CountDownLatch end = new CountDownLatch(1);
    for (Operation<?, ?> silent : List.of(IfileService.READ, IfileService.AWAIT_SORTED)) {
      try (Cluster cluster = new Cluster(small(), 1)) {
        cluster
            .serverOf(1)
            .setFault(
                (operation, chunk, count, payload) -> {
                  if (operation == silent && chunk == 3) {
                    end.await(20, TimeUnit.SECONDS);
                  }
                  return payload;
                });
        long begin = System.nanoTime();
        LostBlocksException error = lost(cluster, Duration.ofMillis(600), ALL);
        assertThat(error.mapAttemptPairs()).contains(2, 0);
        assertThat(error).hasMessageContaining("deadline=600 ms");
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(10));
      }
    }
    end.countDown();
  }

  @Test
  void aServerThatTheMetaserverHasGivenUpIsNotWaitedFor() throws IOException {
    Partition partition = small();
    try (Cluster cluster = new Cluster(partition, 2)) {
      DescribeJobResponse.Builder given = partition.describe().toBuilder();
      for (int i = 0; i < given.getChunksCount(); i++) {
        if (cluster.serverOf(given.getChunks(i).getChunk()) == cluster.serverOf(1)) {
          given.setChunks(i, given.getChunks(i).toBuilder().setState(ChunkState.LOST.code()));
        }
      }
      cluster.metaserver().describe(given.build());
      cluster.serverOf(1).close();
      long begin = System.nanoTime();
      LostBlocksException error = lost(cluster, Duration.ofSeconds(36), ALL);
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(18));
      assertThat(error.mapAttemptPairs()).as(error.getMessage()).containsExactly(0, 0, 2, 0);
      assertThat(error).hasMessageContaining("the metaserver knows the chunk there no more");
    }
  }

  @Test
  void aChunkThatHasMovedAwayFromAServerThatIsGoneIsReadThere() throws IOException {
    Partition partition = small();
    try (Cluster cluster = new Cluster(partition, 2)) {
      DescribeJobResponse.Builder moved = partition.describe().toBuilder();
      for (int i = 0; i < moved.getChunksCount(); i++) {
        long chunk = moved.getChunks(i).getChunk();
        cluster.serverOf(2).put(chunk, partition.file(chunk));
        moved.setChunks(
            i,
            moved.getChunks(i).toBuilder()
                .setHost(cluster.serverOf(2).address().getHostString())
                .setPort(cluster.serverOf(2).address().getPort()));
      }
      cluster.metaserver().describe(moved.build());
      cluster.serverOf(1).close();
      long begin = System.nanoTime();
      cluster.checkMerge(cluster.config(32 << 20, directory, Duration.ofSeconds(36)), ALL);
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(18));
    }
  }

  @Test
  void aSlowServerOnlyTakesLonger() throws IOException {
    try (Cluster cluster = new Cluster(small(), 1)) {
      CountDownLatch never = new CountDownLatch(1);
      cluster
          .serverOf(1)
          .setFault(
              (operation, chunk, count, payload) -> {
                assertThat(never.await(30, TimeUnit.MILLISECONDS)).isFalse();
                return payload;
              });
      cluster.checkMerge(cluster.config(directory), ALL);
    }
  }

  @Test
  void aLongPauseOfTheReaderDoesNoHarm() throws IOException {
    Partition partition =
        new Partition(KeyOrder.normalized(KeyEncoding.RAW), CodecId.NONE)
            .withSortedBlockBytes(60_000);
    List<Partition.Item> items = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      items.add(new Partition.Item(new byte[] {(byte) (i >> 8), (byte) i}, new byte[1000]));
    }
    partition.append(0, 0, 1, items);
    try (Cluster cluster = new Cluster(partition, 1);
        Imerger imerger = cluster.open(cluster.config(1 << 20, directory, Duration.ofSeconds(2)))) {
      imerger.start(new int[] {0, 0});
      // The server goes away for longer than the deadline while nobody waits for it.
      AtomicInteger cuts = new AtomicInteger(1);
      cluster
          .serverOf(1)
          .setFault(
              (operation, chunk, count, payload) -> {
                if (cuts.getAndDecrement() > 0) {
                  throw new ScriptedServer.Cut();
                }
                return payload;
              });
      assertThat(new CountDownLatch(1).await(4, TimeUnit.SECONDS)).isFalse();
      cluster.checkRest(imerger, 0, 0);
      assertThat(imerger.statistics().reconnects()).isPositive();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void anInterruptedReaderEndsAtOnce() throws Exception {
    CountDownLatch waiting = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    try (Cluster cluster = new Cluster(small(), 1)) {
      cluster
          .serverOf(1)
          .setFault(
              (operation, chunk, count, payload) -> {
                waiting.countDown();
                end.await(20, TimeUnit.SECONDS);
                return payload;
              });
      AtomicReference<Throwable> outcome = new AtomicReference<>();
      Thread reader =
          new Thread(
              () -> {
                try (Imerger imerger = cluster.open(cluster.config(directory))) {
                  imerger.start(ALL);
                } catch (IOException e) {
                  outcome.set(e);
                }
              });
      reader.start();
      assertThat(waiting.await(10, TimeUnit.SECONDS)).isTrue();
      reader.interrupt();
      reader.join(5000);
      assertThat(reader.isAlive()).isFalse();
      assertThat(outcome.get()).isInstanceOf(InterruptedIOException.class);
      end.countDown();
    }
  }

  @Test
  void anAnswerOfAnotherLengthIsNotUsed() throws IOException {
    try (Cluster cluster = new Cluster(small(), 1)) {
      cluster
          .serverOf(1)
          .setFault(
              (operation, chunk, count, payload) ->
                  operation == IfileService.READ && chunk == 1 ? new byte[count % 2] : payload);
      LostBlocksException error = lost(cluster, Duration.ofSeconds(3), ALL);
      assertThat(error.mapAttemptPairs()).containsExactly(0, 0);
      assertThat(error).hasMessageContaining("answered with length=");
    }
  }

  @Test
  void anotherBlockThanTheIndexNamesIsDamage() throws IOException {
    Partition partition = new Partition(KeyOrder.of(RandomPartition.DESCENDING), CodecId.NONE);
    partition.append(0, 0, 1, items(0));
    partition.append(1, 0, 1, items(0));
    try (Cluster cluster = new Cluster(partition, 1)) {
      byte[] file = partition.file(1);
      int length = (file.length - 128) / 2;
      cluster
          .serverOf(1)
          .setFault(
              (operation, chunk, count, payload) -> {
                if (operation == IfileService.READ) {
                  // Both blocks are as long as each other: the first one in place of the second.
                  int half = payload.length / 2;
                  byte[] copy = payload.clone();
                  System.arraycopy(payload, 0, copy, payload.length - half, half);
                  return payload.length > length / 2 ? copy : payload;
                }
                return payload;
              });
      LostBlocksException error = lost(cluster, Duration.ofSeconds(10), 0, 0, 1, 0);
      assertThat(error.mapAttemptPairs()).containsExactly(0, 0, 1, 0);
      assertThat(error).hasMessageContaining("is damaged");
    }
  }

  @Test
  void aComparatorThatThrowsEndsTheMerge() throws IOException {
    AtomicInteger calls = new AtomicInteger();
    Partition partition =
        new Partition(
            KeyOrder.of(
                (left, leftOffset, leftLength, right, rightOffset, rightLength) -> {
                  if (calls.incrementAndGet() > 5000) {
                    throw new IllegalStateException("comparator of the job");
                  }
                  return 0;
                }),
            CodecId.NONE);
    partition.append(0, 0, 1, items(0));
    partition.append(1, 0, 1, items(0));
    try (Cluster cluster = new Cluster(partition, 1);
        Imerger imerger = cluster.open(cluster.config(directory))) {
      calls.set(4950);
      imerger.start(new int[] {0, 0, 1, 0});
      assertThatThrownBy(
              () -> {
                while (imerger.next()) {
                  assertThat(imerger.valueLength()).isEqualTo(20);
                }
              })
          .hasMessage("comparator of the job");
      assertThatThrownBy(imerger::next).isInstanceOf(IllegalStateException.class);
    }
  }
}
