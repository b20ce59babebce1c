package dev.sailfish.lineage.client;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.chaos.process.LeaderKills;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.DeletePath;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.testkit.Seed;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;

/**
 * One client with many changes on their way at a time, none of which may be made twice: a file is
 * there then, or is not there any more. Its thread is {@link #run}, until {@link #close}; it begins
 * nothing before {@link #begin}, nor after {@link #end}.
 */
final class NamespaceBurst implements Runnable, LeaderKills.Burst, Closeable {
  private static final int IN_FLIGHT = 256;
  private static final String HOME = "/burst";
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final Duration LOOK = Duration.ofMillis(20);

  /** A few snapshots of a journal that takes one each 2000 changes. */
  private static final int MANY_FILES = 5_000;

  /**
   * With so many files, each new one takes the place of an old one: a master of 128 MB has memory
   * for these once, not twice, however fast it is.
   */
  private static final int MOST_FILES = 400_000;

  /** None before a burst; fair, so that its end takes them all before the next file does. */
  private final Semaphore room = new Semaphore(0, true);

  private final Set<String> expected = ConcurrentHashMap.newKeySet();
  private final Queue<String> oldest = new ConcurrentLinkedQueue<>();
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final AtomicLong acknowledged = new AtomicLong();
  private final LongFunction<NamespaceClient> clients;
  private final long id;
  private volatile boolean closed;

  /**
   * @param clients makes a client of a number
   */
  NamespaceBurst(LongFunction<NamespaceClient> clients, Seed seed) {
    this.clients = clients;
    id = seed.derive(HOME).random().nextLong() | 1;
  }

  @Override
  public void run() {
    try (NamespaceClient client = clients.apply(id)) {
      room.acquireUninterruptibly();
      for (int i = 0; !closed; i++) {
        String name = "file-" + i;
        make(client, HOME + "/" + name, i % 2 == 0)
            .thenCompose(made -> made(client, name))
            .whenComplete((done, error) -> done(error));
        room.acquireUninterruptibly();
      }
    }
  }

  /** Returns when it has made many files. */
  @Override
  public void begin() {
    long before = files();
    room.release(IN_FLIGHT);
    await("a burst of files")
        .atMost(DEADLINE)
        .pollInterval(LOOK)
        .until(() -> files() - before > MANY_FILES || !failures.isEmpty());
  }

  /** Returns when nothing is on its way any more. */
  @Override
  public void end() {
    await("the end of a burst")
        .atMost(DEADLINE)
        .until(() -> room.tryAcquire(IN_FLIGHT, 1, SECONDS));
  }

  private static CompletableFuture<FileEntry> make(
      NamespaceClient client, String path, boolean isOneChange) {
    CreateFile file =
        CreateFile.newBuilder()
            .setPath(path)
            .setMode(0644)
            .setMakeParents(true)
            .setParentMode(0755)
            .setBlockSizeLog(27)
            .build();
    return isOneChange
        ? client.createEmptyAsync(file)
        : client
            .createAsync(file)
            .thenCompose(begun -> client.completeAsync(begun.getEntry().getFid(), 0, List.of()));
  }

  private CompletableFuture<?> made(NamespaceClient client, String name) {
    expected.add(name);
    oldest.add(name);
    acknowledged.incrementAndGet();
    if (expected.size() <= MOST_FILES) {
      return CompletableFuture.completedFuture(null);
    }
    String gone = oldest.remove();
    expected.remove(gone);
    DeletePath delete = DeletePath.newBuilder().setPath(HOME + "/" + gone).build();
    return client.changeAsync(change -> change.setDeletePath(delete));
  }

  private void done(Throwable error) {
    if (error != null) {
      failures.add(error);
    }
    room.release();
  }

  /** How many files were acknowledged so far. */
  long files() {
    return acknowledged.get();
  }

  /** Has its thread end, soon. */
  @Override
  public void close() {
    closed = true;
    room.release();
  }

  /** After its thread has ended: there is what was acknowledged, and nothing else. */
  void assertAllIsThere(NamespaceClient client) throws IOException {
    assertThat(failures).isEmpty();
    Set<String> seen = new HashSet<>();
    client.list(
        HOME,
        entry -> {
          assertThat(entry.getComplete()).as(entry.getName()).isTrue();
          seen.add(entry.getName());
        });
    assertThat(seen).isEqualTo(expected);
  }
}
