package dev.sailfish.lineage.qfs.append;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.lineage.qfs.QfsClient;
import dev.sailfish.lineage.qfs.meta.ChunkInfo;
import dev.sailfish.lineage.qfs.meta.FileInfo;
import dev.sailfish.lineage.qfs.wire.Clock;
import dev.sailfish.lineage.qfs.wire.Connection;
import dev.sailfish.lineage.qfs.wire.QfsError;
import dev.sailfish.lineage.qfs.wire.QfsException;
import dev.sailfish.lineage.qfs.wire.Request;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A QFS file that many append to at once, in this process and in others: atomic record append.
 *
 * <p>The file is a sequence of chunks of up to 64 MiB. The metaserver sends all appenders to the
 * one chunk that takes appends, as long as it has room for them, and then to the next; so the file
 * has few chunks, nearly all of them full, and a hole where one is not. What is in a chunk can be
 * read once the chunk is stable: because it is full, because nobody has appended for a while, or
 * because of {@link #makeStable}. {@link QfsClient#open} reads it then.
 *
 * <p>Thread-safe. Each {@link RecordAppender} takes a connection to the chunk's first server, and a
 * daemon thread while it has records to send.
 */
public final class RecordAppendFile implements Closeable {
  private static final AtomicInteger THREADS = new AtomicInteger();

  private final QfsClient client;
  private final String path;
  private final FileInfo file;
  private final AppendSettings settings;
  private final Clock clock;
  private final ExecutorService executor;
  private final List<RecordAppender> appenders = new ArrayList<>();

  private RecordAppendFile(
      QfsClient client, String path, FileInfo file, AppendSettings settings, Clock clock) {
    this.client = client;
    this.path = path;
    this.file = file;
    this.settings = settings;
    this.clock = clock;
    executor =
        Executors.newCachedThreadPool(
            task -> {
              Thread thread = new Thread(task, "qfs-append-" + THREADS.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
  }

  /**
   * Opens a file for appends.
   *
   * @param client stays the caller's
   * @param path of a file that is there; {@code client.meta().create} makes one
   * @throws IOException when it is no plain file, or a striped one: QFS appends to replicas only
   */
  public static RecordAppendFile open(QfsClient client, String path, AppendSettings settings)
      throws IOException {
    return open(client, path, settings, Clock.SYSTEM);
  }

  /** The same with another clock, for deadlines and waits. */
  public static RecordAppendFile open(
      QfsClient client, String path, AppendSettings settings, Clock clock) throws IOException {
    FileInfo file = client.meta().stat(path);
    if (file.directory()) {
      throw new IOException("append to " + path + ": it is a directory");
    }
    if (file.striping() != null) {
      throw new IOException(
          "append to %s: QFS has no record append for striped files: %s"
              .formatted(path, file.striping()));
    }
    return new RecordAppendFile(client, path, file, settings, clock);
  }

  /** A further writer; close it, or this file. */
  public RecordAppender newAppender() {
    WireCalls calls = new WireCalls(client, file.id(), path, settings.appendersPerChunk());
    ChunkAppender chunks = new ChunkAppender(path, calls, settings, clock);
    RecordAppender appender = new RecordAppender(path, chunks, settings, executor);
    synchronized (appenders) {
      appenders.add(appender);
    }
    return appender;
  }

  /**
   * Ends the chunk that takes appends now and waits until all chunks of the file can be read. Who
   * still appends, here or elsewhere, goes on in another chunk. What was acknowledged before is in
   * the chunks that are returned.
   *
   * @return the chunks in the order of the file
   * @throws IOException when one is not stable before the deadline, or no server has it
   */
  public List<AppendedChunk> makeStable() throws IOException {
    long endNs = settings.retry().endNs(clock);
    List<ChunkInfo> chunks = client.meta().layout(path, file.id(), 0).chunks();
    for (ChunkInfo chunk : chunks) {
      flush(chunk, endNs);
    }
    List<AppendedChunk> stable = new ArrayList<>();
    for (ChunkInfo chunk : client.meta().layout(path, file.id(), 0).chunks()) {
      if (stable.size() < chunks.size()) {
        stable.add(new AppendedChunk(chunk.offset(), size(chunk)));
      }
    }
    return stable;
  }

  /** Asks for a read lease, which ends an appender's right to the chunk. */
  private void flush(ChunkInfo chunk, long endNs) throws IOException {
    for (int asked = 1; ; asked++) {
      try {
        relinquish(chunk, client.meta().acquireReadLease(path, chunk.id(), true));
        return;
      } catch (QfsException e) {
        boolean unstable = e.error() == QfsError.EBUSY || e.error() == QfsError.EAGAIN;
        if (!unstable || !settings.retry().pause(clock, asked, endNs, "flush of " + path)) {
          throw new IOException(
              ("chunk is not stable after %s: path=%s offset=%d chunk=%d: %s; one whose first server"
                      + " has died takes the metaserver's leaseOwnerDownExpireDelay: ask again later,"
                      + " and see with qfsfsck whether it has a server")
                  .formatted(
                      settings.retry().deadline(),
                      path,
                      chunk.offset(),
                      chunk.id(),
                      e.getMessage()),
              e);
        }
      }
    }
  }

  private void relinquish(ChunkInfo chunk, long lease) throws IOException {
    try {
      client.meta().relinquishReadLease(path, chunk.id(), lease);
    } catch (QfsException e) {
      // It ends by itself; the chunk is stable.
    }
  }

  private long size(ChunkInfo chunk) throws IOException {
    IOException failure = null;
    for (HostPort server : chunk.servers()) {
      try {
        return size(chunk, server);
      } catch (IOException e) {
        failure = e;
      }
    }
    throw new IOException(
        "no server has the chunk: path=%s offset=%d chunk=%d servers=%s; see the file with qfsfsck"
            .formatted(path, chunk.offset(), chunk.id(), chunk.servers()),
        failure);
  }

  private long size(ChunkInfo chunk, HostPort server) throws IOException {
    Connection connection = client.chunkservers().take(server);
    try {
      return connection
          .call(
              Request.of("SIZE")
                  .field("Chunk-handle", chunk.id())
                  .field("Chunk-version", chunk.version())
                  .about(path))
          .number("Size", 0);
    } finally {
      client.chunkservers().give(connection);
    }
  }

  /**
   * Closes all appenders.
   *
   * @throws IOException when a record of one has failed; all are closed all the same
   */
  @Override
  public void close() throws IOException {
    List<RecordAppender> all;
    synchronized (appenders) {
      all = List.copyOf(appenders);
      appenders.clear();
    }
    IOException failure = null;
    for (RecordAppender appender : all) {
      try {
        appender.close();
      } catch (IOException e) {
        failure = failure == null ? e : failure;
      }
    }
    executor.shutdown();
    if (failure != null) {
      throw failure;
    }
  }
}
