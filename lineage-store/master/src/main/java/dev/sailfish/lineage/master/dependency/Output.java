package dev.sailfish.lineage.master.dependency;

import java.util.OptionalInt;

/**
 * A file that is made, as it is known now.
 *
 * @param part of the program's work that makes it
 * @param length in bytes, once it was complete
 * @param checksum its {@code FileChecksum}, once it was complete; empty when its writer gave none
 */
public record Output(long fid, Part part, OutputState state, long length, OptionalInt checksum) {
  /** One that is not complete. */
  public static Output pending(long fid, Part part) {
    return new Output(fid, part, OutputState.PENDING, 0, OptionalInt.empty());
  }

  /** The same, in another state. */
  public Output in(OutputState next) {
    return new Output(fid, part, next, length, checksum);
  }

  /** The same, complete. */
  public Output complete(OutputState next, long bytes, OptionalInt sum) {
    return new Output(fid, part, next, bytes, sum);
  }
}
