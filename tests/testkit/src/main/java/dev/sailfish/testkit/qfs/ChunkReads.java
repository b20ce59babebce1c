package dev.sailfish.testkit.qfs;

/** READ and SIZE of one chunkserver. */
final class ChunkReads {
  /** 4 MB are known to work in a real QFS and 20 MB not to. */
  private static final int MAX_READ_BYTES = 16 << 20;

  WireReply read(WireRequest request, Replica replica) {
    long offset = request.required("Offset", "O");
    long length = request.required("Num-bytes", "B");
    int refused = refuses(request, replica, offset, length);
    if (refused != 0) {
      return WireReply.of(request, refused);
    }
    int from = (int) offset;
    int bytes = (int) Math.min(length, replica.size() - offset);
    boolean skip = request.flag("Skip-Disk-Chksum", "KS");
    if (!skip && !replica.isIntact(from, bytes)) {
      return WireReply.refusal(request, QfsStatus.BAD_CHECKSUM, "checksum mismatch");
    }
    byte[] payload = replica.read(from, bytes);
    String checksums = checksums(request, replica, from, payload, skip);
    WireReply reply = WireReply.of(request, bytes);
    reply.text("DiskIOtime", "D", reply.shortForm() ? "0" : "0.0");
    reply.number("Checksum-entries", "KC", checksums.split(" ").length);
    if (skip) {
      reply.flag("Skip-Disk-Chksum", "KS", true);
    }
    reply.text("Checksums", "K", checksums);
    return reply.body(payload);
  }

  private static int refuses(WireRequest request, Replica replica, long offset, long length) {
    if (length > Replica.CHUNK_BYTES || length < 1 || offset < 0) {
      return QfsStatus.INVALID;
    }
    if (length > MAX_READ_BYTES) {
      return QfsStatus.TOO_LARGE;
    }
    if (replica == null) {
      return QfsStatus.NO_CHUNK;
    }
    if (replica.version != request.required("Chunk-version", "V")) {
      return QfsStatus.BAD_VERSION;
    }
    if (!replica.stable) {
      return QfsStatus.AGAIN;
    }
    return offset >= replica.size() ? QfsStatus.IO : 0;
  }

  /**
   * Checksums of what is sent: of 64 KB each from its first byte or, without a check of the disk,
   * of its part of each block of the chunk, and then as they were kept when a block is sent whole
   * or is not what was written.
   */
  private static String checksums(
      WireRequest request, Replica replica, int offset, byte[] payload, boolean skip) {
    StringBuilder list = new StringBuilder();
    int radix = request.wantsShort() ? 16 : 10;
    int done = 0;
    while (done < payload.length) {
      int inBlock = skip ? (offset + done) % Replica.BLOCK_BYTES : 0;
      int part = Math.min(Replica.BLOCK_BYTES - inBlock, payload.length - done);
      int block = (offset + done) / Replica.BLOCK_BYTES;
      boolean kept = skip && (part == Replica.BLOCK_BYTES || !replica.isIntact(offset + done, 1));
      long checksum = kept ? replica.checksum(block) : Replica.adler(payload, done, part);
      list.append(done == 0 ? "" : " ").append(Long.toString(checksum, radix));
      done += part;
    }
    return list.toString();
  }

  WireReply size(WireRequest request, Replica replica) {
    if (replica == null) {
      return WireReply.of(request, QfsStatus.NO_CHUNK);
    }
    long version = request.number("Chunk-version", "V", replica.version);
    if (version >= 0 && version != replica.version) {
      return WireReply.of(request, QfsStatus.BAD_VERSION);
    }
    return WireReply.of(request, 0).number("Size", "S", replica.size());
  }
}
