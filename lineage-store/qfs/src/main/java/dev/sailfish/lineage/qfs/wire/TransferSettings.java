package dev.sailfish.lineage.qfs.wire;

/**
 * How the bytes of chunks go over the wire. Immutable.
 *
 * @param operationBytes of one READ or WRITE_PREPARE at most; a multiple of 64 KiB, up to 4 MiB
 * @param inFlight operations of one stream without a reply; so many buffers a stream has at most,
 *     and one more that is being filled or emptied
 */
public record TransferSettings(int operationBytes, int inFlight) {
  /** 1 MiB, 6 in flight. */
  public static final TransferSettings DEFAULTS = new TransferSettings(1 << 20, 6);

  private static final int BLOCK_BYTES = 64 << 10;
  private static final int MOST_BYTES = 4 << 20;

  /** Checks. */
  public TransferSettings {
    if (operationBytes < BLOCK_BYTES
        || operationBytes > MOST_BYTES
        || operationBytes % BLOCK_BYTES != 0
        || (MOST_BYTES << 4) % operationBytes != 0
        || inFlight < 1) {
      throw new IllegalArgumentException(
          "operation_bytes=%s is no power of two in 64 KiB..4 MiB, or in_flight=%s is below 1"
              .formatted(operationBytes, inFlight));
    }
  }
}
