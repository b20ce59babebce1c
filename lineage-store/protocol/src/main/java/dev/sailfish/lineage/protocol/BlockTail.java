package dev.sailfish.lineage.protocol;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The layout of a block's file: the bytes of the file's block as they are, so that they can be
 * mapped, and behind them a tail with a checksum of each {@link #UNIT} of them. Written by the
 * writer of the block, verified by each reader.
 *
 * <pre>
 *   0              length              length + 4·n                                      + 28
 *   +--------------+-------------------+--------+-------+--------+----------+--------------+
 *   | bytes        | CRC32C of each    | fid:8  | block | length | CRC32C of|   "SFB1"     |
 *   |              | unit: 4·n         |        | :4    | :8     | the tail | :4           |
 *   |              |                   |        |       |        | before:4 |              |
 *   +--------------+-------------------+--------+-------+--------+----------+--------------+
 *
 *   n = length / UNIT, rounded up; the last unit may be shorter. Big endian.
 * </pre>
 *
 * <p>Immutable.
 */
public final class BlockTail {
  /** How many bytes have one checksum. */
  public static final int UNIT = 64 << 10;

  private static final int UNIT_LOG = 16;
  private static final int FIXED = 28;
  private static final int MAGIC = 0x53464231;

  private final long fid;
  private final int block;
  private final long length;
  private final int[] checksums;

  /**
   * @param length of the block, in bytes
   * @param checksums of its units; belongs to this object from here on, and may be longer
   */
  public BlockTail(long fid, int block, long length, int[] checksums) {
    this.fid = fid;
    this.block = block;
    this.length = length;
    this.checksums = Arrays.copyOf(checksums, units(length));
  }

  /** How many units so many bytes have. */
  public static int units(long length) {
    return (int) (length + UNIT - 1 >>> UNIT_LOG);
  }

  /** How long the tail of a block of this length is, in bytes. */
  public static int length(long length) {
    return Integer.BYTES * units(length) + FIXED;
  }

  /** How long the file of a block of this length is, in bytes. */
  public static long fileLength(long length) {
    return length + length(length);
  }

  /**
   * How long the block is that a file of this length holds.
   *
   * @return bytes, or -1 when no block has such a file
   */
  public static long blockLength(long fileLength) {
    long rest = fileLength - FIXED;
    // Each whole unit takes UNIT + 4 bytes of the file; what is left is a unit that is not whole.
    long whole = rest < 0 ? 0 : rest / (UNIT + Integer.BYTES);
    long left = rest - whole * (UNIT + Integer.BYTES);
    long length = whole * UNIT + (left > Integer.BYTES ? left - Integer.BYTES : 0);
    return rest >= 0 && fileLength(length) == fileLength ? length : -1;
  }

  /** The CRC32C of the bytes from position to limit; the positions stay. */
  public static int checksum(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate());
    return (int) crc.getValue();
  }

  /**
   * CRC32C of each unit of some bytes, which begin with a unit.
   *
   * @param bytes from position to limit; the positions stay
   */
  public static int[] checksums(ByteBuffer bytes) {
    int[] checksums = new int[units(bytes.remaining())];
    for (int i = 0; i < checksums.length; i++) {
      int from = i * UNIT;
      checksums[i] =
          checksum(bytes.slice(bytes.position() + from, Math.min(UNIT, bytes.remaining() - from)));
    }
    return checksums;
  }

  /** The tail, ready to be written behind the bytes. */
  public ByteBuffer encode() {
    ByteBuffer bytes = ByteBuffer.allocate(length(length));
    for (int checksum : checksums) {
      bytes.putInt(checksum);
    }
    bytes.putLong(fid).putInt(block).putLong(length);
    int crc = checksum(bytes.duplicate().flip());
    return bytes.putInt(crc).putInt(MAGIC).flip();
  }

  /**
   * Reads a tail.
   *
   * @param bytes the whole tail, from position to limit
   * @param fileLength of the file that it ends
   * @throws DamagedBlockException when it is damaged, or of another block
   */
  public static BlockTail decode(ByteBuffer bytes, long fileLength, long fid, int block)
      throws DamagedBlockException {
    long length = blockLength(fileLength);
    boolean fits = length >= 0 && bytes.remaining() == length(length);
    ByteBuffer tail = bytes.slice();
    if (fits) {
      int crcAt = tail.limit() - 2 * Integer.BYTES;
      int[] checksums = new int[units(length)];
      for (int i = 0; i < checksums.length; i++) {
        checksums[i] = tail.getInt();
      }
      boolean isIntact =
          tail.getLong() == fid
              & tail.getInt() == block
              & tail.getLong() == length
              & tail.getInt() == checksum(tail.slice(0, crcAt))
              & tail.getInt() == MAGIC;
      if (isIntact) {
        return new BlockTail(fid, block, length, checksums);
      }
    }
    throw new DamagedBlockException(
        "the end of the block is damaged: fid=%016x block=%d fileLength=%d"
            .formatted(fid, block, fileLength));
  }

  /** How long the block is, in bytes. */
  public long length() {
    return length;
  }

  /** The checksum of a unit. */
  public int checksum(int unit) {
    return checksums[unit];
  }

  /**
   * Checks bytes of the block.
   *
   * @param offset of the first byte in the block, a multiple of {@link #UNIT}
   * @param bytes whole units, but for the last one of the block; from position to limit
   * @throws DamagedBlockException naming the first unit that is not what was written
   */
  public void verify(long offset, ByteBuffer bytes) throws DamagedBlockException {
    int first = (int) (offset >>> UNIT_LOG);
    int count = units(bytes.remaining());
    for (int i = 0; i < count; i++) {
      int from = i * UNIT;
      ByteBuffer unit =
          bytes.slice(bytes.position() + from, Math.min(UNIT, bytes.remaining() - from));
      int actual = checksum(unit);
      if (actual != checksums[first + i]) {
        throw new DamagedBlockException(
            "block is damaged: fid=%016x block=%d offset=%d crc32c=%08x, not %08x"
                .formatted(fid, block, offset + from, actual, checksums[first + i]));
      }
    }
  }
}
