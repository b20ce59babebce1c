package dev.sailfish.format.order;

import dev.sailfish.format.Ordering;
import java.util.Arrays;
import java.util.Objects;

/**
 * The order of the keys of a job, as iappender and imerger need it: either an encoding that makes
 * it the byte order, or the job's own comparator.
 *
 * @param ordering which of the two
 * @param encoding how keys are normalized; {@link KeyEncoding#RAW} with a comparator
 * @param comparator of serialized keys; null with {@link Ordering#NORMALIZED}
 */
public record KeyOrder(Ordering ordering, KeyEncoding encoding, KeyComparator comparator) {
  /** Checks that the parts fit together. */
  public KeyOrder {
    Objects.requireNonNull(ordering, "ordering");
    Objects.requireNonNull(encoding, "encoding");
    if ((ordering == Ordering.COMPARATOR) != (comparator != null)) {
      throw new IllegalArgumentException(
          "ordering=" + ordering + " does not go with comparator=" + comparator);
    }
  }

  /** Keys whose normalized form has the order of unsigned bytes. */
  public static KeyOrder normalized(KeyEncoding encoding) {
    return new KeyOrder(Ordering.NORMALIZED, encoding, null);
  }

  /** Keys that only {@code comparator} can order. */
  public static KeyOrder of(KeyComparator comparator) {
    return new KeyOrder(Ordering.COMPARATOR, KeyEncoding.RAW, comparator);
  }

  /**
   * Compares two keys as they are stored: by their unsigned bytes, or as the comparator does.
   *
   * @return below, equal to or above zero
   */
  public int compare(
      byte[] left, int leftOffset, int leftLength, byte[] right, int rightOffset, int rightLength) {
    return comparator == null
        ? Arrays.compareUnsigned(
            left,
            leftOffset,
            leftOffset + leftLength,
            right,
            rightOffset,
            rightOffset + rightLength)
        : comparator.compare(left, leftOffset, leftLength, right, rightOffset, rightLength);
  }
}
