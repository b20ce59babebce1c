package dev.sailfish.iappender;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.RecordChecksum;
import dev.sailfish.format.RecordDescriptor;
import dev.sailfish.format.order.KeyEncoding;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Objects;

/**
 * Builds one record at a time at the end of a partition's buffer, from what serializers write: it
 * is the stream that they are opened on, without a lock. {@link #size()} is not kept.
 *
 * <pre>
 *   while it is written            start       start + gap
 *                                    |           |serialized key      |value ...   |position
 *   when it is ended               start
 *                                    |header     |normalized key      |value       |end
 * </pre>
 *
 * <p>{@code gap} is guessed from the record before: its header's length less the prefix that
 * normalizing its key stripped, so that the bytes need not be moved when the guess holds. A
 * negative gap overwrites the end of the record before for as long as the key is written; these
 * bytes are kept aside.
 *
 * <p>A record that does not fit in the buffer's largest room moves to an array of its own.
 */
final class RecordAssembler extends DataOutputStream {
  private static final int START = PartitionBuffer.START;
  private static final int SMALLEST_OWN = 4 << 10;
  private static final int LARGEST_KEPT = 1 << 20;
  private static final int LARGEST_DOUBLED = 64 << 20;
  private static final int KEY_OPEN = -1;

  private final PartitionBuffers buffers;
  private final KeyEncoding encoding;

  /** Null when no record is being built. */
  PartitionBuffer buffer;

  private byte[] bytes = PartitionBuffer.NONE;

  /** How much of the array may be used. */
  private int room;

  private int position;
  private int start;
  private int saved;
  private int savedCount;

  // Counted from start, so that they hold when the record moves.
  private int keyOffset;
  private int keyLength = KEY_OPEN;
  private int prefix;

  private byte[] own = PartitionBuffer.NONE;

  /** Length of the record in its own array, from {@link PartitionBuffer#START}. */
  int ownLength;

  /** Bytes of key and value of the last record that was ended, as they were serialized. */
  int serializedLength;

  private final RecordChecksum checksums = new RecordChecksum();

  /** Bytes of normalized key and value of the last record that was ended. */
  int recordBytes;

  /** {@link RecordChecksum} of the last record that was ended. */
  long checksum;

  RecordAssembler(PartitionBuffers buffers, KeyEncoding encoding) {
    super(null);
    out = this;
    this.buffers = buffers;
    this.encoding = encoding;
  }

  /** Throws when a record was begun and not ended. */
  void checkClosed() {
    if (buffer != null) {
      throw new IllegalStateException(
          "a record is open: partition=" + buffer.partition + "; end or abandon it first");
    }
  }

  /** Begins a record. */
  void start(PartitionBuffer target) {
    checkClosed();
    buffer = target;
    bytes = target.bytes;
    room = target.room;
    start = target.end;
    position = start + target.gap;
    if (target.gap < 0 && start > START) {
      save(-target.gap);
    }
  }

  private void save(int count) {
    savedCount = count;
    saved = 0;
    for (int i = 1; i <= count; i++) {
      saved = saved << 8 | bytes[start - i] & 0xff;
    }
  }

  private void restore() {
    byte[] target = buffer.bytes;
    for (int i = savedCount; i >= 1; i--) {
      target[buffer.end - i] = (byte) saved;
      saved >>>= 8;
    }
    savedCount = 0;
  }

  @Override
  public void write(int b) throws IOException {
    if (position >= room) {
      grow(1);
    }
    bytes[position++] = (byte) b;
  }

  @Override
  public void write(byte[] source, int offset, int length) throws IOException {
    if (room - position < length) {
      Objects.checkFromIndexSize(offset, length, source.length);
      grow(length);
    }
    System.arraycopy(source, offset, bytes, position, length);
    position += length;
  }

  @Override
  public void write(byte[] source) throws IOException {
    write(source, 0, source.length);
  }

  /** Does nothing: there is nothing between the stream and the record. */
  @Override
  public void flush() {}

  /** Does nothing: the stream serves all records of the task. */
  @Override
  public void close() {}

  /** Makes room for {@code count} bytes at the position; the record may move. */
  private void grow(int count) throws IOException {
    if (buffer == null) {
      throw new IllegalStateException(
          "nothing can be written between records: call startRecord before serializing");
    }
    long needed = (long) position + count;
    if (bytes == buffer.bytes && needed <= buffers.limit) {
      buffers.grow(buffer, (int) needed, Math.max(position, buffer.end));
      bytes = buffer.bytes;
      room = buffer.room;
      return;
    }
    long length = needed - start;
    if (length > BlockHeader.MAX_LENGTH) {
      throw new IOException(
          "record is too long: partition=%s bytes=%s limit=%s"
              .formatted(buffer.partition, length, BlockHeader.MAX_LENGTH));
    }
    growOwn((int) length);
  }

  /** Moves the record to an array of its own, or to a longer one. */
  private void growOwn(int length) {
    byte[] target = own;
    int needed = START + length;
    if (target.length < needed) {
      int old = target.length;
      long more = old < LARGEST_DOUBLED ? 2L * old : old + old / 4;
      long most = START + (long) BlockHeader.MAX_LENGTH;
      target = new byte[(int) Math.max(Math.max(needed, SMALLEST_OWN), Math.min(more, most))];
    }
    int before = Math.max(0, -buffer.gap);
    int from = start - before;
    int used = Math.min(position, room) - from;
    if (used > 0) {
      System.arraycopy(bytes, from, target, START - before, used);
    }
    restore();
    position += START - start;
    start = START;
    own = target;
    bytes = target;
    room = target.length;
  }

  /** What was written since {@link #start} is the key, what follows is the value. */
  void endKey() throws IOException {
    if (buffer == null || keyLength != KEY_OPEN) {
      throw new IllegalStateException(
          buffer == null ? "endKey without startRecord" : "endKey twice in a record");
    }
    int serialized = start + buffer.gap;
    try {
      prefix = encoding.normalize(bytes, serialized, position - serialized);
    } catch (IllegalArgumentException e) {
      throw new IOException(
          ("the job's keys are not of the class that their order was chosen for: partition=%s"
                  + " encoding=%s: %s")
              .formatted(buffer.partition, encoding, e.getMessage()),
          e);
    }
    restore();
    keyOffset = buffer.gap + prefix;
    keyLength = position - start - keyOffset;
  }

  /**
   * Ends the record.
   *
   * @return whether it is in the buffer; if not, it is in {@link #own} and counts nowhere yet
   */
  boolean endRecord() throws IOException {
    if (buffer == null || keyLength == KEY_OPEN) {
      throw new IllegalStateException(
          buffer == null ? "endRecord without startRecord" : "endRecord without endKey");
    }
    int valueLength = position - start - keyOffset - keyLength;
    int header = RecordDescriptor.headerLength(keyLength, valueLength);
    if (header != keyOffset) {
      move(header, valueLength);
    } else if (room < position) {
      grow(0);
    }
    RecordDescriptor.putHeader(bytes, start, keyLength, valueLength);
    serializedLength = prefix + keyLength + valueLength;
    buffer.gap = header - prefix;
    recordBytes = keyLength + valueLength;
    checksum = checksums.of(bytes, start + header, keyLength, valueLength);
    int end = start + header + recordBytes;
    boolean inBuffer = bytes == buffer.bytes;
    if (inBuffer) {
      buffer.end = end;
      buffer.records++;
      buffer.recordBytes += recordBytes;
      buffer.checksum += checksum;
    } else {
      ownLength = end - START;
    }
    finish();
    return inBuffer;
  }

  /** Moves key and value so that the header fits before them. */
  private void move(int header, int valueLength) throws IOException {
    int missing = start + header + keyLength + valueLength - room;
    if (missing > 0) {
      grow(Math.max(0, start + header + keyLength + valueLength - position));
    }
    System.arraycopy(bytes, start + keyOffset, bytes, start + header, keyLength + valueLength);
  }

  /** Forgets the record that was begun, if any. */
  void abandon() {
    if (buffer != null) {
      restore();
      finish();
      giveOwn(takeOwn());
    }
  }

  /** Ends building; the stream takes nothing until the next {@link #start}. */
  private void finish() {
    buffer = null;
    bytes = PartitionBuffer.NONE;
    room = 0;
    position = 0;
    keyLength = KEY_OPEN;
  }

  /** Hands out the array of the record that {@link #endRecord} did not put in the buffer. */
  byte[] takeOwn() {
    byte[] taken = own;
    own = PartitionBuffer.NONE;
    return taken;
  }

  /** Takes an array back that is not needed any more. */
  void giveOwn(byte[] array) {
    if (array.length <= LARGEST_KEPT && array.length > own.length) {
      own = array;
    }
  }
}
