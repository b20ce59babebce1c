package dev.sailfish.lineage.qfs.append;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/** Several writers of one file, a thread each. */
final class Writers implements AutoCloseable {
  private static final long DEADLINE_S = 120;

  private final int records;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Future<?>> running = new ArrayList<>();
  private final AtomicInteger appended = new AtomicInteger();
  private final Semaphore allowed = new Semaphore(0);

  /**
   * Starts them; they append what {@link #allow} allows.
   *
   * @param records of each
   * @param least bytes of a record
   * @param most bytes of a record; between the two the length is random
   */
  Writers(RecordAppendFile file, int writers, int records, int least, int most, long seed) {
    this.records = records;
    for (int i = 0; i < writers; i++) {
      int writer = i;
      RecordAppender appender = file.newAppender();
      SplittableRandom random = new SplittableRandom(seed + writer);
      running.add(
          threads.submit(
              () -> {
                append(appender, writer, random, least, most);
                return null;
              }));
    }
  }

  private void append(
      RecordAppender appender, int writer, SplittableRandom random, int least, int most)
      throws IOException, InterruptedException {
    for (int number = 0; number < records; number++) {
      allowed.acquire();
      int length = random.nextInt(least, most + 1);
      ByteBuffer record = AppendedRecords.record(writer, number, length);
      appender.append(record).thenRun(appended::incrementAndGet);
      if (random.nextInt(8) == 0) {
        appender.flush();
      }
    }
    appender.close();
  }

  /** Lets all writers together append so many records more. */
  void allow(int more) {
    allowed.release(more);
  }

  /** How many records were acknowledged. */
  int appended() {
    return appended.get();
  }

  /** Allows whatever is left, until all have appended all. */
  void await() throws IOException, InterruptedException {
    allow(records * running.size());
    try {
      for (Future<?> writer : running) {
        writer.get(DEADLINE_S, TimeUnit.SECONDS);
      }
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("acknowledged=" + appended, e);
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
