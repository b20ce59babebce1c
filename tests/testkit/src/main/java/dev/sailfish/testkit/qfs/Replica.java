package dev.sailfish.testkit.qfs;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.Adler32;

/**
 * One chunk on one chunkserver: its bytes in blocks of 64 KB, each with the Adler-32 checksum of
 * its bytes padded with zeros. Blocks are never changed in place, so replicas share them. Guarded
 * by the cluster's lock.
 */
final class Replica {
  static final int CHUNK_BYTES = 64 << 20;
  static final int BLOCK_BYTES = 64 << 10;

  private static final byte[] EMPTY = new byte[BLOCK_BYTES];
  private static final long EMPTY_CHECKSUM = adler(EMPTY, 0, BLOCK_BYTES);

  final long handle;
  long version;
  boolean stable;

  /** Write ids of plain writes to the status of the last one. */
  final Map<Long, Integer> writeIds = new HashMap<>();

  /** Null for a chunk that is not for appends. */
  AppendTable appends;

  private final Map<Integer, byte[]> blocks = new HashMap<>();
  private final Map<Integer, Long> checksums = new HashMap<>();
  private int size;

  Replica(long handle, long version) {
    this.handle = handle;
    this.version = version;
  }

  int size() {
    return size;
  }

  /** Writes bytes at any position; the gap to it, if any, is zeros. */
  void write(int offset, byte[] bytes) {
    int done = 0;
    while (done < bytes.length) {
      int block = (offset + done) / BLOCK_BYTES;
      int from = (offset + done) % BLOCK_BYTES;
      int length = Math.min(BLOCK_BYTES - from, bytes.length - done);
      byte[] changed = blocks.getOrDefault(block, EMPTY).clone();
      System.arraycopy(bytes, done, changed, from, length);
      put(block, changed);
      done += length;
    }
    size = Math.max(size, offset + bytes.length);
  }

  /** Takes whole blocks that this server's predecessor in the chain has written just now. */
  void share(Replica other, int offset, int length) {
    for (int block = offset / BLOCK_BYTES; block <= (offset + length - 1) / BLOCK_BYTES; block++) {
      blocks.put(block, other.blocks.get(block));
      checksums.put(block, other.checksums.get(block));
    }
    size = Math.max(size, offset + length);
  }

  byte[] read(int offset, int length) {
    byte[] bytes = new byte[length];
    int done = 0;
    while (done < length) {
      int from = (offset + done) % BLOCK_BYTES;
      int part = Math.min(BLOCK_BYTES - from, length - done);
      byte[] block = blocks.getOrDefault((offset + done) / BLOCK_BYTES, EMPTY);
      System.arraycopy(block, from, bytes, done, part);
      done += part;
    }
    return bytes;
  }

  /** Whether every block of a range has the checksum that was kept when it was written. */
  boolean isIntact(int offset, int length) {
    for (int block = offset / BLOCK_BYTES; block <= (offset + length - 1) / BLOCK_BYTES; block++) {
      byte[] bytes = blocks.getOrDefault(block, EMPTY);
      if (adler(bytes, 0, BLOCK_BYTES) != checksum(block)) {
        return false;
      }
    }
    return true;
  }

  /** The checksum kept with a block. */
  long checksum(int block) {
    return checksums.getOrDefault(block, EMPTY_CHECKSUM);
  }

  /** Shortens or lengthens the chunk. */
  void resize(int newSize) {
    if (newSize < size) {
      int block = newSize / BLOCK_BYTES;
      byte[] last = blocks.getOrDefault(block, EMPTY).clone();
      Arrays.fill(last, newSize % BLOCK_BYTES, BLOCK_BYTES, (byte) 0);
      put(block, last);
      blocks.keySet().removeIf(i -> i > block);
      checksums.keySet().removeIf(i -> i > block);
    }
    size = newSize;
  }

  /** Changes one bit as a bad disk would: the checksum stays. */
  void corrupt(int offset) {
    int block = offset / BLOCK_BYTES;
    byte[] bytes = blocks.getOrDefault(block, EMPTY).clone();
    bytes[offset % BLOCK_BYTES] ^= 1;
    blocks.put(block, bytes);
  }

  private void put(int block, byte[] bytes) {
    blocks.put(block, bytes);
    checksums.put(block, adler(bytes, 0, BLOCK_BYTES));
  }

  static long adler(byte[] bytes, int from, int length) {
    Adler32 adler = new Adler32();
    adler.update(bytes, from, length);
    return adler.getValue();
  }
}
