package dev.sailfish.lineage.master.dependency;

import java.util.OptionalInt;

/**
 * A file that is made, as it is known now.
 *
 * @param index which part of the program's work makes it
 * @param length in bytes, once it was complete
 * @param checksum its {@code FileChecksum}, once it was complete; empty when its writer gave none
 */
public record Output(long fid, int index, OutputState state, long length, OptionalInt checksum) {
  /** One that is not complete. */
  public static Output pending(long fid, int index) {
    return new Output(fid, index, OutputState.PENDING, 0, OptionalInt.empty());
  }

  /** The same, in another state. */
  public Output in(OutputState next) {
    return new Output(fid, index, next, length, checksum);
  }
}
