package dev.sailfish.lineage.qfs.read;

import dev.sailfish.lineage.qfs.meta.ChunkInfo;
import dev.sailfish.lineage.qfs.wire.Reply;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.Adler32;

/**
 * Checks what a READ brought: its reply has an Adler-32 for each 64 KiB. They count from the
 * chunk's begin when the server says that it did not look at the disk's checksums, as then it sends
 * those; otherwise from the first byte that was read.
 */
final class BlockChecksums {
  private BlockChecksums() {}

  /**
   * Checks.
   *
   * @param offset of the first byte in the chunk
   * @param body what came; its position stays
   * @throws IOException naming the first block that is not what the server sent
   */
  static void check(Reply reply, long offset, ByteBuffer body) throws IOException {
    String[] sums = reply.text("Checksums", "").strip().split(" +");
    boolean ofDisk = reply.number("Skip-Disk-Chksum", 0) != 0;
    int first = ofDisk ? (int) (offset % ChunkInfo.BLOCK_BYTES) : 0;
    int from = 0;
    int block = 0;
    Adler32 adler = new Adler32();
    ByteBuffer view = body.duplicate();
    while (from < body.remaining()) {
      int length = Math.min(ChunkInfo.BLOCK_BYTES - first, body.remaining() - from);
      first = 0;
      adler.reset();
      adler.update(view.limit(body.position() + from + length).position(body.position() + from));
      if (block >= sums.length || adler.getValue() != number(sums[block])) {
        throw new IOException(
            "checksum of block %s at %s, %s bytes: computed=%s, sent=%s"
                .formatted(
                    block,
                    offset + from,
                    length,
                    adler.getValue(),
                    block < sums.length ? sums[block] : "none"));
      }
      from += length;
      block++;
    }
  }

  private static long number(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      return -1;
    }
  }
}
