package dev.sailfish.lineage.master.namespace;

import java.util.OptionalInt;

/**
 * What a writer says of a file that it has written.
 *
 * @param length its bytes
 * @param places where each of its blocks is: {@link Place}s; none, when it is below alone
 * @param checksum its {@code FileChecksum}; empty when its writer has none
 */
public record Content(long length, int[] places, OptionalInt checksum) {
  /** One without a checksum. */
  public static Content of(long length, int... places) {
    return new Content(length, places, OptionalInt.empty());
  }
}
