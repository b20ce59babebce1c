package dev.sailfish.lineage.protocol;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The checksum of a file's content, by which it is known whether a recompute has given the same
 * bytes: CRC32C of the CRC32C of each unit of {@link BlockTail#UNIT} bytes, in their order.
 *
 * <pre>
 *   CRC32C ( CRC32C of unit 0:4   CRC32C of unit 1:4   ...   CRC32C of the last unit:4 )   big-endian
 * </pre>
 *
 * A block is whole units but for the file's end, so that it does not depend on the size of blocks;
 * and a writer has the units' checksums anyway, so that it costs nothing. Not thread-safe.
 */
public final class FileChecksum {
  private final CRC32C crc = new CRC32C();

  /** Adds the next units, by their checksums. */
  public void add(int[] units) {
    ByteBuffer bytes = ByteBuffer.allocate(units.length * Integer.BYTES);
    for (int unit : units) {
      bytes.putInt(unit);
    }
    crc.update(bytes.flip());
  }

  /** The checksum of all that was added. */
  public int value() {
    return (int) crc.getValue();
  }
}
