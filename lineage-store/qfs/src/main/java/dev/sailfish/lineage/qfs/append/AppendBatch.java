package dev.sailfish.lineage.qfs.append;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Records that go into the file with one append. Not thread-safe; its buffer is its own. */
final class AppendBatch {
  private final ByteBuffer bytes;
  private final List<Part> parts = new ArrayList<>();

  private record Part(int offset, int length, CompletableFuture<RecordLocation> done) {}

  AppendBatch(int capacity) {
    bytes = ByteBuffer.allocateDirect(capacity);
  }

  boolean isEmpty() {
    return parts.isEmpty();
  }

  boolean hasRoomFor(int length) {
    return length <= bytes.remaining();
  }

  /** Copies a record; its position moves to its limit. */
  CompletableFuture<RecordLocation> add(ByteBuffer record) {
    Part part = new Part(bytes.position(), record.remaining(), new CompletableFuture<>());
    bytes.put(record);
    parts.add(part);
    return part.done();
  }

  /** All records, back to back; valid until the batch is completed. */
  ByteBuffer records() {
    return bytes.duplicate().flip();
  }

  /**
   * Tells who waits where the records are, and makes it empty.
   *
   * @return how many there were
   */
  int completeAt(long offset) {
    List<Part> all = clear();
    all.forEach(
        part -> part.done().complete(new RecordLocation(offset + part.offset(), part.length())));
    return all.size();
  }

  /** Tells who waits why the records are not there, and makes it empty. */
  void fail(IOException cause) {
    clear().forEach(part -> part.done().completeExceptionally(cause));
  }

  private List<Part> clear() {
    List<Part> all = List.copyOf(parts);
    parts.clear();
    bytes.clear();
    return all;
  }
}
