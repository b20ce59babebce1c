package dev.sailfish.lineage.qfs;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.lineage.qfs.meta.ChunkInfo;
import dev.sailfish.lineage.qfs.meta.CreateOptions;
import dev.sailfish.lineage.qfs.meta.FileInfo;
import dev.sailfish.lineage.qfs.meta.Layout;
import dev.sailfish.lineage.qfs.meta.MetaClient;
import dev.sailfish.lineage.qfs.meta.ReadLeases;
import dev.sailfish.lineage.qfs.read.QfsInput;
import dev.sailfish.lineage.qfs.wire.Buffers;
import dev.sailfish.lineage.qfs.wire.Clock;
import dev.sailfish.lineage.qfs.wire.Connection;
import dev.sailfish.lineage.qfs.wire.Connections;
import dev.sailfish.lineage.qfs.wire.QfsError;
import dev.sailfish.lineage.qfs.wire.QfsException;
import dev.sailfish.lineage.qfs.wire.Request;
import dev.sailfish.lineage.qfs.write.QfsOutput;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/**
 * A client of one QFS: files to read and to write, and all else through {@link #meta}. Connects
 * when it is asked something. Thread-safe; the streams that it opens are not. Close it after all
 * its files.
 */
public final class QfsClient implements Closeable {
  private static final int STREAMS_WITH_KEPT_BUFFERS = 4;

  private final QfsSettings settings;
  private final Connections connections;
  private final Buffers buffers;
  private final MetaClient meta;
  private final ReadLeases leases;

  private QfsClient(QfsSettings settings, Clock clock) {
    this.settings = settings;
    this.connections = new Connections(settings.connection(), clock);
    int inFlight = settings.transfer().inFlight();
    this.buffers =
        new Buffers(
            settings.transfer().operationBytes(), STREAMS_WITH_KEPT_BUFFERS * (inFlight + 1));
    this.meta =
        new MetaClient(settings.metaservers(), settings.owner(), connections, settings.retry());
    this.leases = new ReadLeases(meta, clock);
  }

  /** A client by this machine's clock. Asks no server yet. */
  public static QfsClient connect(QfsSettings settings) {
    return connect(settings, Clock.SYSTEM);
  }

  /** A client by another clock. Asks no server yet. */
  public static QfsClient connect(QfsSettings settings, Clock clock) {
    return new QfsClient(settings, clock);
  }

  /** Names, attributes, chunks, leases. */
  public MetaClient meta() {
    return meta;
  }

  /** Connections to chunkservers, for those who send requests of their own. */
  public Connections chunkservers() {
    return connections;
  }

  /** How it is used. */
  public QfsSettings settings() {
    return settings;
  }

  /**
   * What is at a path, with its size: a chunkserver is asked for it while the last chunk is being
   * written.
   */
  public FileInfo stat(String path) throws IOException {
    FileInfo found = meta.stat(path);
    return found.directory() || found.size() != FileInfo.UNKNOWN
        ? found
        : found.withSize(sizeNow(path, found));
  }

  private long sizeNow(String path, FileInfo file) throws IOException {
    Layout layout = meta.layout(path, file.id(), 0);
    if (layout.fileSize() != FileInfo.UNKNOWN || layout.chunks().isEmpty()) {
      return Math.max(0, layout.fileSize());
    }
    ChunkInfo last = layout.chunks().get(layout.chunks().size() - 1);
    IOException failure = null;
    for (HostPort server : last.servers()) {
      try {
        return last.offset() + chunkSize(path, last, server);
      } catch (IOException e) {
        if (failure != null) {
          e.addSuppressed(failure);
        }
        failure = e;
      }
    }
    throw new IOException(
        "%s: the size of its last chunk %s, which is being written, is not known at %s"
            .formatted(path, last.id(), last.servers()),
        failure);
  }

  private long chunkSize(String path, ChunkInfo chunk, HostPort server) throws IOException {
    Connection line = connections.take(server);
    try {
      return line.call(
              Request.of("SIZE")
                  .field("Chunk-handle", chunk.id())
                  .field("Chunk-version", chunk.version())
                  .about(path + ", chunk " + chunk.id()))
          .number("Size", 0);
    } finally {
      connections.give(line);
    }
  }

  /** Opens a file for reading, as long as it is now. The caller closes it. */
  public QfsInput open(String path) throws IOException {
    return open(path, stat(path));
  }

  /** The same when what is at the path is known, with its size. */
  public QfsInput open(String path, FileInfo file) throws IOException {
    if (file.directory()) {
      throw new QfsException(-QfsError.EISDIR.code(), "open", path, "this side");
    }
    return new QfsInput(
        path,
        file,
        new QfsInput.Shared(
            meta, leases, connections, buffers, settings.transfer(), settings.retry()));
  }

  /** Makes a file in a directory that is there, and opens it for writing. */
  public QfsOutput create(String path, CreateOptions options) throws IOException {
    return new QfsOutput(path, meta.create(path, options), 0, shared());
  }

  /** Opens a file to write on at its end. At most one may do so at a time. */
  public QfsOutput append(String path) throws IOException {
    FileInfo file = stat(path);
    if (file.directory()) {
      throw new QfsException(-QfsError.EISDIR.code(), "append", path, "this side");
    }
    if (file.striping() != null) {
      throw new IOException(
          "%s is striped (%s): this client writes files without stripes only"
              .formatted(path, file.striping()));
    }
    return new QfsOutput(path, file.id(), file.size(), shared());
  }

  private QfsOutput.Shared shared() {
    return new QfsOutput.Shared(meta, connections, buffers, settings.transfer(), settings.retry());
  }

  /** The chunks with bytes of a range, and their servers; holes have none. */
  public List<ChunkInfo> locations(String path, long from, long length) throws IOException {
    FileInfo file = meta.stat(path);
    return meta.layout(path, file.id(), from).chunks().stream()
        .filter(chunk -> chunk.offset() < from + length)
        .filter(chunk -> chunk.offset() + ChunkInfo.BYTES > from)
        .toList();
  }

  /** Closes all connections; what is on its way fails. */
  @Override
  public void close() {
    leases.close();
    meta.close();
    connections.close();
  }
}
