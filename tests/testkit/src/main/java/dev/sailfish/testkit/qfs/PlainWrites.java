package dev.sailfish.testkit.qfs;

import dev.sailfish.testkit.qfs.QfsChunkserver.Link;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes at a position: what the first server of a chain does, which passes everything on to the
 * others.
 */
final class PlainWrites {
  private final ChunkMap chunks;
  private final QfsChunkserver.Chain chain;

  PlainWrites(ChunkMap chunks, QfsChunkserver.Chain chain) {
    this.chunks = chunks;
    this.chain = chain;
  }

  WireReply allocateIds(WireRequest request, Replica replica) {
    List<Link> links = chain.of(request, false);
    if (links.isEmpty()) {
      return WireReply.refusal(request, QfsStatus.INVALID, "invalid or missing Servers: field");
    }
    long handle = request.required("Chunk-handle", "H");
    if (!chunks.renewWriteLease(handle)) {
      return WireReply.refusal(request, QfsStatus.LEASE_EXPIRED, "no valid write lease exists");
    }
    List<Long> ids = new ArrayList<>();
    for (Link link : links) {
      int refused = refusesIds(request, link.server(), replica);
      if (refused != 0) {
        return WireReply.refusal(request, refused, "no write id at port " + link.server().port());
      }
      ids.add(chunks.newId());
    }
    for (int i = 0; i < ids.size(); i++) {
      links.get(i).server().replica(handle).writeIds.put(ids.get(i), 0);
    }
    return granted(request, links, ids);
  }

  /** The answer to WRITE_ID_ALLOC. */
  static WireReply granted(WireRequest request, List<Link> links, List<Long> ids) {
    WireReply reply = WireReply.of(request, 0).flag("Write-prepare-reply", "WR", true);
    return reply.servers("Write-id", "W", links.stream().map(Link::server).toList(), ids);
  }

  private static int refusesIds(WireRequest request, QfsChunkserver server, Replica first) {
    Replica replica = server.replica(request.required("Chunk-handle", "H"));
    int unreachable = replica == first ? 0 : reach(server, "WRITE_ID_ALLOC");
    if (unreachable != 0) {
      return unreachable;
    }
    if (replica == null) {
      return QfsStatus.NO_CHUNK;
    }
    boolean fits = replica.version == request.required("Chunk-version", "V");
    return fits && !replica.stable && replica.appends == null ? 0 : QfsStatus.INVALID;
  }

  /** What becomes of a request that is passed on to a server: 0 if it arrives. */
  static int reach(QfsChunkserver server, String operation) {
    if (!server.isUp()) {
      return QfsStatus.UNREACHABLE;
    }
    QfsFault fault = server.faults().match(QfsFaults.forwarded(operation));
    return fault == null ? 0 : fault.value();
  }

  /** WRITE_PREPARE; null if no answer is wanted. */
  WireReply prepare(WireRequest request, Replica replica) {
    int status = prepared(request, replica);
    return request.flag("Reply", "RR") || status != 0 ? WireReply.of(request, status) : null;
  }

  private int prepared(WireRequest request, Replica replica) {
    List<Link> links = chain.of(request, true);
    if (links.isEmpty() || replica == null) {
      return QfsStatus.INVALID;
    }
    Integer before = replica.writeIds.get(links.get(0).writeId());
    if (before == null) {
      return QfsStatus.INVALID;
    }
    if (!chunks.renewWriteLease(replica.handle)) {
      return fail(links, replica.handle, QfsStatus.LEASE_EXPIRED);
    }
    if (request.required("Checksum", "K") != QfsChunkserver.checksum(request.body())) {
      return QfsStatus.BAD_CHECKSUM;
    }
    if (before != 0) {
      return before;
    }
    long offset = request.required("Offset", "O");
    if (!isWritable(offset, request.body().length)) {
      return fail(links, replica.handle, QfsStatus.INVALID);
    }
    return write(links, replica, (int) offset, request.body());
  }

  private static int write(List<Link> links, Replica replica, int offset, byte[] bytes) {
    replica.write(offset, bytes);
    for (Link link : links.subList(1, links.size())) {
      Replica next = link.server().replica(replica.handle);
      int status = reach(link.server(), "WRITE_PREPARE");
      if (status == 0 && (next == null || next.version != replica.version)) {
        status = QfsStatus.NO_CHUNK;
      }
      if (status != 0) {
        return fail(links, replica.handle, status);
      }
      if (bytes.length > 0) {
        next.share(replica, offset, bytes.length);
      }
    }
    return 0;
  }

  /** Whole blocks at a block's start, or less than a block; inside the chunk. */
  private static boolean isWritable(long offset, int length) {
    boolean inside = offset >= 0 && offset + length <= Replica.CHUNK_BYTES;
    boolean whole = offset % Replica.BLOCK_BYTES == 0 && length % Replica.BLOCK_BYTES == 0;
    return inside && (whole || length < Replica.BLOCK_BYTES);
  }

  /** After a failure no write with these ids succeeds. */
  private static int fail(List<Link> links, long handle, int status) {
    for (Link link : links) {
      Replica replica = link.server().replica(handle);
      if (replica != null) {
        replica.writeIds.replace(link.writeId(), QfsStatus.LEASE_EXPIRED);
      }
    }
    return status;
  }

  WireReply sync(WireRequest request, Replica replica) {
    List<Link> links = chain.of(request, true);
    Integer before =
        links.isEmpty() || replica == null ? null : replica.writeIds.get(links.get(0).writeId());
    if (before == null) {
      return WireReply.refusal(request, QfsStatus.INVALID, "no such write id");
    }
    if (before != 0) {
      return WireReply.refusal(request, before, "write error");
    }
    if (!chunks.renewWriteLease(replica.handle)) {
      return WireReply.refusal(request, QfsStatus.LEASE_EXPIRED, "no valid write lease exists");
    }
    for (Link link : links.subList(1, links.size())) {
      int status = reach(link.server(), "WRITE_SYNC");
      if (status != 0) {
        return WireReply.of(request, fail(links, replica.handle, status));
      }
    }
    return matches(request, replica)
        ? WireReply.of(request, 0)
        : WireReply.refusal(request, QfsStatus.AGAIN, "checksum mismatch");
  }

  private static boolean matches(WireRequest request, Replica replica) {
    long offset = request.required("Offset", "O");
    long length = request.required("Num-bytes", "B");
    String[] sent = request.text("Checksums", "K", "").trim().split("\\s+");
    if (sent[0].isEmpty()
        || offset % Replica.BLOCK_BYTES != 0
        || length % Replica.BLOCK_BYTES != 0) {
      return true;
    }
    int first = (int) (offset / Replica.BLOCK_BYTES);
    if (sent.length != length / Replica.BLOCK_BYTES) {
      return false;
    }
    for (int i = 0; i < sent.length; i++) {
      if (request.parse(sent[i]) != replica.checksum(first + i)) {
        return false;
      }
    }
    return true;
  }

  /** Ends a write id, and with it the chunk's write lease, even if other ids are open. */
  WireReply close(WireRequest request, Replica replica) {
    List<Link> links = chain.of(request, true);
    if (links.isEmpty()) {
      return WireReply.refusal(request, QfsStatus.INVALID, "invalid or missing Servers: field");
    }
    if (replica.writeIds.remove(links.get(0).writeId()) == null) {
      return WireReply.refusal(request, QfsStatus.NO_CHUNK, "invalid write or chunk id");
    }
    for (Link link : links) {
      Replica other = link.server().replica(replica.handle);
      if (other != null) {
        other.writeIds.remove(link.writeId());
      }
    }
    MetaChunk chunk = chunks.get(replica.handle);
    if (chunk != null && chunk.writeLeased) {
      chunks.relinquish(chunk);
    }
    return WireReply.of(request, 0);
  }
}
