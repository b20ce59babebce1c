package dev.sailfish.chunksorter;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Maps keys to numbers of {@link #BITS} bits without ever reversing two keys: a smaller key has a
 * number that is smaller or the same. Keys with the same number must be compared.
 *
 * <p>The mapping is fitted to keys that it is shown: their common prefix is cut off, and of the
 * bytes behind it each takes only as much room as its smallest and largest value need, so that 33
 * bits hold ten decimal digits or five printable characters. Any other key may be mapped as well;
 * one outside of what was shown gets the lowest or highest number that its good part allows and
 * counts as {@link #outside}.
 */
final class KeyMapping {
  /** How many bits the numbers have. */
  static final int BITS = 33;

  private static final long ROOM = 1L << BITS;

  /** How many bytes behind the common prefix are looked at. */
  private static final int WINDOW = 16;

  private static final int END = -1;
  private static final int SCALE_BITS = 16;

  private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

  private ByteBuffer data = NOTHING;
  private int prefixOffset;
  private int prefixLength;
  private int shortest;
  private int longest;

  private final int[] smallest = new int[WINDOW];
  private final int[] largest = new int[WINDOW];

  private int positions;
  private final int[] sizes = new int[WINDOW];
  private final int[] scales = new int[WINDOW];
  private final int[] levels = new int[WINDOW];
  private final long[] room = new long[WINDOW + 1];
  private int outside;

  /** Begins to fit: first {@link #prefix} is called for all keys, then {@link #range}. */
  void start(ByteBuffer keys, int keyOffset, int keyLength) {
    data = keys;
    prefixOffset = keyOffset;
    prefixLength = keyLength;
    shortest = keyLength;
    longest = keyLength;
    outside = 0;
    Arrays.fill(smallest, Integer.MAX_VALUE);
    Arrays.fill(largest, Integer.MIN_VALUE);
  }

  /** Lets go of the keys' buffer; nothing can be mapped until it is fitted anew. */
  void forget() {
    data = NOTHING;
  }

  /** Shows a key so that the common prefix is found. */
  void prefix(int keyOffset, int keyLength) {
    prefixLength =
        KeyBytes.mismatch(data, prefixOffset, keyOffset, Math.min(prefixLength, keyLength));
    shortest = Math.min(shortest, keyLength);
    longest = Math.max(longest, keyLength);
  }

  /** Whether all keys that {@link #prefix} was shown are the same. */
  boolean allEqual() {
    return shortest == longest && prefixLength == longest;
  }

  /** Shows a key, when the common prefix is known, so that its bytes get the room they need. */
  void range(int keyOffset, int keyLength) {
    int rest = keyLength - prefixLength;
    int end = Math.min(WINDOW, rest);
    for (int i = 0; i < end; i++) {
      int symbol = data.get(keyOffset + prefixLength + i) & 0xff;
      smallest[i] = Math.min(smallest[i], symbol);
      largest[i] = Math.max(largest[i], symbol);
    }
    if (rest < WINDOW) {
      smallest[rest] = END;
      largest[rest] = Math.max(largest[rest], END);
    }
  }

  /** Ends fitting; from now on keys can be mapped. */
  void finish() {
    long used = 1;
    positions = 0;
    while (positions < WINDOW && smallest[positions] <= largest[positions]) {
      int size = largest[positions] - smallest[positions] + 1;
      int level = (int) Math.min(size, ROOM / used);
      sizes[positions] = size;
      levels[positions] = level;
      scales[positions] = (level << SCALE_BITS) / size;
      used *= level;
      positions++;
      if (level < size) {
        break;
      }
    }
    room[positions] = 1;
    for (int i = positions - 1; i >= 0; i--) {
      room[i] = room[i + 1] * levels[i];
    }
  }

  /** How many bits the largest number has that a key may get. */
  int bits() {
    return Long.SIZE - Long.numberOfLeadingZeros(room[0] - 1);
  }

  /** How many mapped keys were not like the keys that were shown. */
  int outside() {
    return outside;
  }

  /** The number of a key, from 0 to 2^{@link #BITS} - 1. */
  long map(int keyOffset, int keyLength) {
    if (prefixLength > 0) {
      int common = Math.min(prefixLength, keyLength);
      int same = KeyBytes.mismatch(data, prefixOffset, keyOffset, common);
      if (same < prefixLength) {
        outside++;
        return same == keyLength || below(keyOffset, same) ? 0 : room[0] - 1;
      }
    }
    long number = 0;
    int position = keyOffset + prefixLength;
    int end = keyOffset + keyLength;
    for (int i = 0; i < positions; i++) {
      int symbol = position < end ? data.get(position) & 0xff : END;
      int value = symbol - smallest[i];
      if (value < 0) {
        outside++;
        return number * room[i];
      }
      if (value >= sizes[i]) {
        outside++;
        return number * room[i] + room[i] - 1;
      }
      number = number * levels[i] + (value * scales[i] >>> SCALE_BITS);
      if (symbol == END) {
        return number * room[i + 1];
      }
      position++;
    }
    return number;
  }

  private boolean below(int keyOffset, int same) {
    return (data.get(keyOffset + same) & 0xff) < (data.get(prefixOffset + same) & 0xff);
  }
}
