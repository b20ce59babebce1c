package dev.sailfish.iappender;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.testkit.Seeded;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.RepeatedTest;

@Seeded
class PartitionBuffersTest {
  private static final int PARTITIONS = 50;
  private static final IappenderConfig CONFIG =
      new IappenderConfig(
          new InetSocketAddress("localhost", 1),
          "localhost",
          "nobody",
          4 << 20,
          0,
          0,
          Duration.ofSeconds(60),
          0);

  /** What is pressed, and so what blocks there are, must not depend on what a pool has left. */
  @RepeatedTest(20)
  void roomsFollowFromTheRecordsAlone(SplittableRandom random) {
    boolean sorts = random.nextBoolean();
    long seed = random.nextLong();
    List<String> first = rooms(sorts, seed);
    for (int task = 2; task <= 4; task++) {
      assertThat(rooms(sorts, seed)).as("task " + task).isEqualTo(first);
      rooms(random.nextBoolean(), random.nextLong()); // leaves other arrays
    }
  }

  private static List<String> rooms(boolean sorts, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    PartitionBuffers buffers = new PartitionBuffers(CONFIG, PARTITIONS, sorts);
    List<String> rooms = new ArrayList<>();
    byte[] record = new byte[10_000];
    for (int i = 0; i < 3_000; i++) {
      int partition = random.nextInt(1 + random.nextInt(PARTITIONS));
      PartitionBuffer buffer = buffers.existing(partition);
      if (buffer == null) {
        buffer = buffers.activate(partition);
      }
      int length = 1 + random.nextInt(random.nextInt(20) == 0 ? 10_000 : 300);
      if (buffer.end + length > buffers.limit || random.nextInt(100) == 0) {
        buffer.clear();
        buffer.filledBefore = true;
        buffers.release(buffer);
      }
      if (buffer.end + length <= buffers.limit) {
        buffers.append(buffer, record, 0, length);
      }
      rooms.add("%s %s %s".formatted(buffer.room, buffers.pressed(), buffers.aboveHalf()));
      assertThat(buffer.bytes.length).isGreaterThanOrEqualTo(buffer.room);
    }
    for (int i = 0; i < PARTITIONS; i++) {
      if (buffers.existing(i) != null) {
        buffers.release(buffers.existing(i));
      }
    }
    assertThat(buffers.aboveHalf()).as("nothing is held").isFalse();
    buffers.pool.leave();
    return rooms;
  }
}
