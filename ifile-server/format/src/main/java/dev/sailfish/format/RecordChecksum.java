package dev.sailfish.format;

import java.util.zip.CRC32C;

/**
 * A checksum of a set of records that does not depend on their order: the sum, modulo 2^64, of one
 * number per record. A map attempt sums up what it appends to each partition, its manifest carries
 * the sums, and a reducer compares what it delivered with the sums of the winners.
 *
 * <pre>
 *   c      = CRC32C of key and value, as 32 bits; the key as it is stored (normalized)
 *   x      = c | key length &lt;&lt; 32        (key length modulo 2^32)
 *   number = mix(x + (value length + 1) * 9e3779b97f4a7c15)
 *   mix(z): z = (z ^ z >>> 30) * bf58476d1ce4e5b9
 *           z = (z ^ z >>> 27) * 94d049bb133111eb
 *           z ^ z >>> 31
 * </pre>
 *
 * <p>A lost, doubled, changed or swapped record changes the sum except with a probability of about
 * 2^-32. Not thread-safe; allocates nothing per record.
 */
public final class RecordChecksum {
  private static final long SPREAD = 0x9e3779b97f4a7c15L;
  private static final long MIX_1 = 0xbf58476d1ce4e5b9L;
  private static final long MIX_2 = 0x94d049bb133111ebL;

  private final CRC32C crc = new CRC32C();

  /**
   * The number of one record.
   *
   * @param bytes holds the key at {@code keyOffset} and the value right behind it
   */
  public long of(byte[] bytes, int keyOffset, int keyLength, int valueLength) {
    crc.reset();
    crc.update(bytes, keyOffset, keyLength + valueLength);
    long z = (crc.getValue() | (long) keyLength << Integer.SIZE) + (valueLength + 1L) * SPREAD;
    z = (z ^ z >>> 30) * MIX_1;
    z = (z ^ z >>> 27) * MIX_2;
    return z ^ z >>> 31;
  }
}
