package dev.sailfish.lineage.client.block;

import dev.sailfish.ground.memory.Unmapping;
import dev.sailfish.lineage.protocol.BlockTail;
import dev.sailfish.lineage.protocol.DamagedBlockException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.util.BitSet;

/**
 * A block in memory, mapped as a whole. A page costs most when it is touched for the first time,
 * more than to copy or check it; so while somebody reads on, a spare processor touches what comes
 * next, up to {@link #AHEAD} bytes. Bytes are checked by who reads them, never ahead.
 *
 * <pre>
 *   0          touchedFrom      readTo         touchedTo       askedTo       length
 *   +--------------+--------------+----------------+--------------+-------------+
 *   |              | was touched  | is touched     | a helper is  |             |
 *   |              | ahead, read  | and not read   | on its way   |             |
 *   +--------------+--------------+----------------+--------------+-------------+
 *                                 |&lt;---------- up to AHEAD ------&gt;|
 * </pre>
 *
 * <p>For one thread, beside that of its helper. It is unmapped when both have let go of it, at once
 * unless views of it were given: these stay good, and the garbage collector ends the mapping.
 */
final class BlockMapping {
  /** How far ahead of the reader pages are touched, in bytes. */
  static final int AHEAD = 16 << 20;

  /** A reader is past that before a helper wakes up. */
  private static final int LEAD = 1 << 20;

  /** The kernel maps the pages of so many bytes with one fault, where they are aligned. */
  private static final int FAULT = 64 << 10;

  /** A block in which the reader was faster as often is read without help. */
  private static final int VAIN = 3;

  /** Less is unmapped in no time. */
  private static final int LARGE = 8 << 20;

  private final MappedByteBuffer bytes;
  private final BlockTail tail;
  private final SpareProcessors spare;
  private final boolean isWorthTouching;

  /** Units of which views were given. */
  private final BitSet verified = new BitSet();

  private boolean isGiven;
  private int askedTo;
  private int touchedFrom;
  private int vain;

  // Told by the reader to the helper: where it is; the largest number when it reads no more.
  private volatile int readTo;

  // Told by the helper to the reader: how far it came, whether it has ended.
  private volatile int touchedTo;
  private volatile boolean isHelped;

  /** A byte of the page that was touched last: a read of which nothing came would be left out. */
  private byte seen;

  private int holders = 1; // guarded by this

  /**
   * @param isWorthTouching whether pages are small, so that somebody else should touch them ahead
   */
  BlockMapping(FileChannel file, BlockTail tail, SpareProcessors spare, boolean isWorthTouching)
      throws IOException {
    this.bytes = AlignedMapping.of(file, tail.length());
    this.tail = tail;
    this.spare = spare;
    this.isWorthTouching = isWorthTouching;
  }

  /**
   * The reader goes on from here: pages behind it are touched, if a processor is free.
   *
   * @param at in the block
   */
  void readOn(long at) {
    readTo = (int) at;
    boolean isEnough = askedTo - at > AHEAD / 2 || at + LEAD >= bytes.limit();
    if (!isWorthTouching || isEnough || isHelped || vain == VAIN) {
      return;
    }
    if (askedTo > 0 && at > touchedTo) {
      vain++;
    }
    int from = (int) Math.max(askedTo, at + LEAD);
    int to = (int) Math.min(bytes.limit(), at + AHEAD);
    if (from < to) {
      touch(from, to);
    }
  }

  private void touch(int from, int to) {
    if (from != touchedTo) {
      touchedFrom = from;
      touchedTo = from;
    }
    askedTo = to;
    isHelped = true;
    hold();
    boolean isTaken =
        spare.offer(
            () -> {
              try {
                touchAhead(from, to);
              } finally {
                isHelped = false;
                release();
              }
            });
    if (!isTaken) {
      askedTo = from;
      isHelped = false;
      release();
    }
  }

  /** Ends when the reader has overtaken it. */
  private void touchAhead(int from, int to) {
    for (int at = from; at < to && readTo <= at; at += FAULT) {
      seen = bytes.get(at);
      touchedTo = Math.min(to, at + FAULT);
    }
  }

  /** Whether bytes can be read without touching a page for the first time. */
  boolean isTouched(long offset, int count) {
    return offset >= touchedFrom && offset + count <= touchedTo;
  }

  /** Copies bytes, each unit checked when it is in the processor's cache. */
  void read(long offset, ByteBuffer into) throws DamagedBlockException {
    for (long at = offset; into.hasRemaining(); at += BlockTail.UNIT) {
      ByteBuffer unit = bytes.slice((int) at, Math.min(BlockTail.UNIT, into.remaining()));
      tail.verify(at, unit);
      into.put(unit);
    }
  }

  /**
   * Checked bytes, read-only: those that were given before are not checked again.
   *
   * @param offset of the first byte
   */
  ByteBuffer view(long offset, int count) throws DamagedBlockException {
    int end = BlockTail.units(offset + count);
    for (int unit = (int) (offset / BlockTail.UNIT); unit < end; unit++) {
      if (!verified.get(unit)) {
        long at = (long) unit * BlockTail.UNIT;
        if (at % LEAD == 0) {
          readOn(at);
        }
        int length = (int) Math.min(BlockTail.UNIT, bytes.limit() - at);
        tail.verify(at, bytes.slice((int) at, length));
        verified.set(unit);
      }
    }
    isGiven = true;
    return bytes.slice((int) offset, count).asReadOnlyBuffer();
  }

  /** The reader needs it no more. */
  void close() {
    readTo = Integer.MAX_VALUE;
    release();
  }

  private synchronized void hold() {
    holders++;
  }

  private void release() {
    synchronized (this) {
      holders--;
      if (holders > 0 || isGiven) {
        return;
      }
    }
    boolean isSpared = bytes.limit() >= LARGE && spare.offer(() -> Unmapping.unmap(bytes));
    if (!isSpared) {
      Unmapping.unmap(bytes); // if that cannot be done, the garbage collector does
    }
  }
}
