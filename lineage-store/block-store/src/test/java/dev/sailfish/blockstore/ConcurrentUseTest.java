package dev.sailfish.blockstore;

import static dev.sailfish.blockstore.StoreFixture.STEP;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Many writers in a store that is too small for them; the accounting is watched meanwhile. */
@Timeout(120)
class ConcurrentUseTest {
  private static final int WRITERS = 6;
  private static final int SEGMENTS_PER_WRITER = 150;
  private static final int SHARED_GROWERS = 4;

  @TempDir Path temporary;

  @Test
  void shouldStayBoundedAndKeepContentsApart() throws Exception {
    Path root = StoreFixture.memoryRoot(temporary);
    ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
    try (StoreFixture fixture = StoreFixture.open(root, 12 * STEP, 6 * STEP)) {
      List<Future<?>> writers = new ArrayList<>();
      for (int writer = 0; writer < WRITERS; writer++) {
        int id = writer;
        writers.add(threads.submit(() -> write(fixture, id)));
      }
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (writers.stream().anyMatch(future -> !future.isDone())
          && System.nanoTime() - deadline < 0) {
        for (StoreUsage.DirectoryUsage usage : fixture.store().usage().directories()) {
          assertThat(usage.usedBytes() + usage.pooledBytes())
              .as("%s", usage)
              .isLessThanOrEqualTo(usage.capacityBytes());
        }
      }
      for (Future<?> writer : writers) {
        writer.get(1, TimeUnit.SECONDS);
      }
      StoreUsage usage = fixture.store().usage();
      assertThat(usage.usedBytes(Tier.MEMORY) + usage.usedBytes(Tier.DISK)).isZero();
      assertThat(StoreFixture.fileBytes(fixture.memory)).isEqualTo(usage.pooledBytes(Tier.MEMORY));
      assertThat(StoreFixture.files(fixture.disks.get(0))).isEmpty();
      assertThat(fixture.usage(fixture.memory).reuseCount()).isPositive();
    } finally {
      threads.shutdownNow();
      StoreFixture.removeTree(root);
    }
  }

  private static Void write(StoreFixture fixture, int writer) throws IOException {
    Random random = new Random(writer);
    for (int i = 0; i < SEGMENTS_PER_WRITER; i++) {
      int capacity = (1 + random.nextInt(6)) * STEP;
      int stamp = writer << 16 | i;
      Segment segment;
      try {
        segment = fixture.store().allocate("w" + writer + "-" + i, capacity, 0, Tier.MEMORY);
      } catch (NoSpaceException e) {
        Thread.onSpinWait();
        continue;
      }
      int written = 0;
      int wanted = STEP;
      while (wanted <= capacity && segment.ensure(wanted)) {
        ByteBuffer buffer = segment.buffer().position(written).limit(wanted);
        while (buffer.hasRemaining()) {
          buffer.putInt(stamp);
        }
        written = wanted;
        wanted += STEP / 2;
      }
      int length = written == 0 ? 0 : random.nextInt(written / 4) * 4;
      segment.sealWithChecksum(length);
      segment.verify();
      ByteBuffer sealed = segment.buffer();
      while (sealed.hasRemaining()) {
        assertThat(sealed.getInt() == stamp).as("segment %s", segment).isTrue();
      }
      segment.delete();
    }
    return null;
  }

  @Test
  void shouldGrowOneSegmentFromManyThreads() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(SHARED_GROWERS);
    try (StoreFixture fixture = StoreFixture.open(temporary, 64 * STEP)) {
      Segment segment = fixture.store().allocate("shared", 64 * STEP, 0, Tier.MEMORY);
      List<Future<?>> growers = new ArrayList<>();
      for (int grower = 0; grower < SHARED_GROWERS; grower++) {
        int id = grower;
        growers.add(threads.submit(() -> growAndStamp(segment, id)));
      }
      for (Future<?> grower : growers) {
        grower.get(60, TimeUnit.SECONDS);
      }
      for (int at = 0; at < segment.capacity(); at += 8) {
        assertThat(segment.buffer().getLong(at) == at).as("at=%d", at).isTrue();
      }
      assertThat(fixture.usage(fixture.memory).firstTouchedBytes()).isEqualTo(64 * STEP);
    } finally {
      threads.shutdownNow();
    }
  }

  private static void growAndStamp(Segment segment, int grower) {
    int stride = 8 * SHARED_GROWERS;
    for (int at = 8 * grower; at < segment.capacity(); at += stride) {
      assertThat(segment.ensure(at + 8)).isTrue();
      segment.buffer().putLong(at, at);
    }
  }
}
