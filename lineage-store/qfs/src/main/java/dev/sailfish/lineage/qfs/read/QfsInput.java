package dev.sailfish.lineage.qfs.read;

import dev.sailfish.lineage.qfs.meta.ChunkInfo;
import dev.sailfish.lineage.qfs.meta.FileInfo;
import dev.sailfish.lineage.qfs.meta.Layout;
import dev.sailfish.lineage.qfs.meta.MetaClient;
import dev.sailfish.lineage.qfs.meta.ReadLeases;
import dev.sailfish.lineage.qfs.meta.RetrySettings;
import dev.sailfish.lineage.qfs.wire.Buffers;
import dev.sailfish.lineage.qfs.wire.Connections;
import dev.sailfish.lineage.qfs.wire.ServerLines;
import dev.sailfish.lineage.qfs.wire.TransferSettings;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.IntFunction;

/**
 * An open file. Positions may be read by any number of threads at once; a {@link #stream} is for
 * one thread. Holes are zeros. Every byte was checked against the chunk's checksums; a server that
 * fails, or sends what it should not, is passed over for another one that has the chunk, and an
 * exception says what each of them did when none is left.
 */
public final class QfsInput implements Closeable {
  private final FileInfo file;
  private final String path;
  private final TransferSettings transfer;
  private final Buffers buffers;
  private final ServerLines lines;
  private final ChunkLocator chunks;
  private final ChunkRead.Source source;
  private volatile boolean closed;

  /** What all files of one client share. */
  public record Shared(
      MetaClient meta,
      ReadLeases leases,
      Connections connections,
      Buffers buffers,
      TransferSettings transfer,
      RetrySettings retry) {}

  /**
   * Asks where the chunks are.
   *
   * @param file with its size known
   */
  public QfsInput(String path, FileInfo file, Shared shared) throws IOException {
    if (file.striping() != null) {
      throw new IOException(
          "%s is striped (%s): this client reads files without stripes only; copy it with QFS's own tools"
              .formatted(path, file.striping()));
    }
    if (file.replication() == 0) {
      throw new IOException(
          path + " has its bytes in an object store: this client reads from chunkservers only");
    }
    this.file = file;
    this.path = path;
    this.transfer = shared.transfer();
    this.buffers = shared.buffers();
    this.lines = new ServerLines(shared.connections());
    Layout layout = shared.meta().layout(path, file.id(), 0);
    this.chunks = new ChunkLocator(path, file.id(), shared.meta(), shared.leases(), layout);
    this.source =
        new ChunkRead.Source(path, chunks, lines, shared.retry(), shared.connections().clock());
  }

  /** The file as it was when it was opened. */
  public FileInfo file() {
    return file;
  }

  /** In bytes, when it was opened. */
  public long size() {
    return file.size();
  }

  String path() {
    return path;
  }

  TransferSettings transfer() {
    return transfer;
  }

  Buffers buffers() {
    return buffers;
  }

  /** Asks for a range inside one chunk, into a direct buffer. */
  ChunkRead start(long position, ByteBuffer target) throws IOException {
    if (closed) {
      throw new IOException(path + " is closed");
    }
    ChunkRead read = new ChunkRead(source, position, target);
    read.start();
    return read;
  }

  /** How many bytes one operation at a position may have. */
  int most(long position, long wanted) {
    long inChunk = ChunkInfo.BYTES - position % ChunkInfo.BYTES;
    // Ends where others begin, so that a stream's operations are aligned after its first one.
    long aligned = transfer.operationBytes() - position % transfer.operationBytes();
    return (int) Math.min(Math.min(wanted, size() - position), Math.min(inChunk, aligned));
  }

  /**
   * Reads what is there, up to the target's limit; its position moves.
   *
   * @return the number of bytes, or -1 at the file's end
   */
  public int read(long position, ByteBuffer target) throws IOException {
    if (position < 0) {
      throw new IllegalArgumentException("position=" + position + " of " + path);
    }
    if (position >= size()) {
      return target.hasRemaining() ? -1 : 0;
    }
    int count = (int) Math.min(target.remaining(), size() - position);
    fill(List.of(new Part(position, target.slice(target.position(), count))));
    target.position(target.position() + count);
    return count;
  }

  /**
   * Reads to the target's limit; its position moves.
   *
   * @throws EOFException when the file ends before
   */
  public void readFully(long position, ByteBuffer target) throws IOException {
    int wanted = target.remaining();
    if (position + wanted > size()) {
      throw new EOFException(
          "%s has %s bytes, wanted were %s at %s".formatted(path, size(), wanted, position));
    }
    read(position, target);
  }

  /**
   * Reads several ranges at once.
   *
   * @param allocate makes a range's buffer, of at least that many bytes
   * @return a buffer per range, in the same order, from position to limit
   * @throws EOFException when a range goes beyond the file's end
   */
  public List<ByteBuffer> readRanges(List<Range> ranges, IntFunction<ByteBuffer> allocate)
      throws IOException {
    List<Part> parts = new ArrayList<>();
    for (Range range : ranges) {
      if (range.position() + range.length() > size()) {
        throw new EOFException("%s has %s bytes, wanted was %s".formatted(path, size(), range));
      }
      ByteBuffer made = allocate.apply(range.length());
      parts.add(new Part(range.position(), made.limit(made.position() + range.length())));
    }
    fill(parts);
    return parts.stream().map(Part::target).toList();
  }

  private record Part(long position, ByteBuffer target) {}

  /** A read on its way. Borrowed: its bytes go on into the place when they are there. */
  private record Flight(ChunkRead read, ByteBuffer borrowed, ByteBuffer place) {}

  /** Fills all targets; their positions stay. */
  private void fill(List<Part> parts) throws IOException {
    Deque<Flight> flights = new ArrayDeque<>();
    try {
      for (Part part : parts) {
        int from = 0;
        while (from < part.target().remaining()) {
          if (flights.size() == transfer.inFlight()) {
            land(flights);
          }
          long position = part.position() + from;
          int count = most(position, part.target().remaining() - from);
          flights.add(
              depart(position, part.target().slice(part.target().position() + from, count)));
          from += count;
        }
      }
      while (!flights.isEmpty()) {
        land(flights);
      }
    } finally {
      flights.forEach(this::abandon);
    }
  }

  private Flight depart(long position, ByteBuffer place) throws IOException {
    if (place.isDirect()) {
      return new Flight(start(position, place), null, place);
    }
    ByteBuffer borrowed = buffers.take().limit(place.remaining());
    return new Flight(start(position, borrowed), borrowed, place);
  }

  private void land(Deque<Flight> flights) throws IOException {
    Flight flight = flights.peek();
    flight.read().finish();
    flights.remove();
    if (flight.borrowed() != null) {
      flight.place().put(0, flight.borrowed(), 0, flight.place().remaining());
      buffers.give(flight.borrowed());
    }
  }

  private void abandon(Flight flight) {
    flight.read().abandon();
    if (flight.borrowed() != null) {
      buffers.give(flight.borrowed());
    }
  }

  /** The file from a position on, in order, with read-ahead. The caller closes it. */
  public QfsStream stream(long position) {
    return new QfsStream(this, position);
  }

  /**
   * Gives back connections and leases; never throws. Reads that are on their way in other threads
   * may fail.
   */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      lines.close();
      chunks.release();
    }
  }
}
