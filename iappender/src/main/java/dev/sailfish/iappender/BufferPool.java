package dev.sailfish.iappender;

import java.lang.ref.SoftReference;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Arrays to be used again, so that they need not be cleared and collected for every block. All
 * lengths are rounded up to one of eight steps per power of two ({@link #roundUp}); an array that
 * is taken has exactly the rounded length.
 *
 * <p>Not thread-safe: it is one iappender's at a time. Where tasks share a JVM, the next one's
 * iappender goes on with what the last one has left, unless memory was short meanwhile.
 */
final class BufferPool {
  private static final AtomicReference<SoftReference<BufferPool>> LEFT = new AtomicReference<>();

  private static final int SMALLEST = 64;
  private static final int STEPS_BITS = 3;

  private final long capacity;
  private final byte[][][] free = new byte[Integer.SIZE << STEPS_BITS][][];
  private final int[] counts = new int[Integer.SIZE << STEPS_BITS];
  private long freeBytes;

  /** By how much arrays are longer than what they were taken for. */
  private long lentBytes;

  /**
   * @param capacity how many bytes of unused arrays are kept
   */
  BufferPool(long capacity) {
    this.capacity = capacity;
  }

  /**
   * A pool that is the caller's alone: the one that was left here, if it keeps as much, or an empty
   * one.
   *
   * @param capacity how many bytes of unused arrays are kept
   */
  static BufferPool acquire(long capacity) {
    SoftReference<BufferPool> left = LEFT.getAndSet(null);
    BufferPool pool = left == null ? null : left.get();
    return pool != null && pool.capacity == capacity ? pool : new BufferPool(capacity);
  }

  /** Leaves the pool for the next iappender. The caller must not touch it any more. */
  void leave() {
    lentBytes = 0; // those arrays are gone
    LEFT.set(new SoftReference<>(this));
  }

  /** The length of the array that {@link #take} returns for {@code length} bytes. */
  static int roundUp(int length) {
    if (length <= SMALLEST) {
      return SMALLEST;
    }
    int shift = shift(length - 1);
    return ((length - 1 >> shift) + 1) << shift;
  }

  /** The longest length up to {@code length} that needs no rounding. */
  static int roundDown(int length) {
    int shift = shift(length);
    return length >> shift << shift;
  }

  private static int shift(int length) {
    return Integer.SIZE - 1 - Integer.numberOfLeadingZeros(length) - STEPS_BITS;
  }

  private static int index(int rounded) {
    int shift = shift(rounded - 1);
    return (shift << STEPS_BITS) + (rounded - 1 >> shift) - (1 << STEPS_BITS);
  }

  /** An array of {@link #roundUp} of {@code length} bytes with anything in it. */
  byte[] take(int length) {
    int rounded = roundUp(length);
    int index = index(rounded);
    if (counts[index] == 0) {
      return new byte[rounded];
    }
    byte[] array = free[index][--counts[index]];
    free[index][counts[index]] = null;
    freeBytes -= rounded;
    return array;
  }

  /**
   * The longest array that is here, if it is at least as long as what {@link #take} returns: what
   * is likely to be needed next need not be copied to then. What it has beyond that still counts as
   * kept here, until {@link #unlend}.
   *
   * @param most how long it may be
   */
  byte[] takeLonger(int length, int most) {
    int rounded = roundUp(length);
    int least = index(rounded);
    for (int i = index(roundUp(most)); i > least; i--) {
      if (counts[i] > 0) {
        long extra = free[i][counts[i] - 1].length - rounded;
        if (lentBytes + extra <= capacity) {
          lentBytes += extra;
          return take(free[i][counts[i] - 1].length);
        }
      }
    }
    return take(rounded);
  }

  /** So many bytes of an array that was taken are needed now, or will be given back with it. */
  void unlend(int bytes) {
    lentBytes -= bytes;
  }

  /**
   * Takes an array back. When the pool is full, shorter arrays make room for it: they are what
   * buffers have grown out of. One that there is no room for, or of another length, is dropped.
   */
  void give(byte[] array) {
    if (array.length < SMALLEST || roundUp(array.length) != array.length) {
      return;
    }
    int index = index(array.length);
    for (int i = 0; i < index && isFull(array.length); i++) {
      dropWhileFull(i, array.length);
    }
    if (isFull(array.length)) {
      return;
    }
    byte[][] stack = free[index];
    int count = counts[index];
    if (stack == null || count == stack.length) {
      byte[][] longer = new byte[count == 0 ? 4 : 2 * count][];
      if (count > 0) {
        System.arraycopy(stack, 0, longer, 0, count);
      }
      stack = longer;
      free[index] = stack;
    }
    stack[count] = array;
    counts[index]++;
    freeBytes += array.length;
  }

  private boolean isFull(int needed) {
    return freeBytes + lentBytes + needed > capacity;
  }

  private void dropWhileFull(int index, int needed) {
    while (counts[index] > 0 && isFull(needed)) {
      freeBytes -= free[index][--counts[index]].length;
      free[index][counts[index]] = null;
    }
  }
}
