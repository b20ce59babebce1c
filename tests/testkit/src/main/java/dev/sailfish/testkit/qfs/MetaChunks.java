package dev.sailfish.testkit.qfs;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;

/** The metaserver's operations of a file's chunks and their leases. */
final class MetaChunks {
  private static final int MIN_APPENDERS = 1;

  private final Namespace namespace;
  private final ChunkMap chunks;

  MetaChunks(Namespace namespace, ChunkMap chunks) {
    this.namespace = namespace;
    this.chunks = chunks;
  }

  /** GETALLOC: the chunk at an offset. */
  WireReply find(WireRequest request) {
    Inode file = namespace.get(request.required("File-handle", "P"));
    int status = refuses(file);
    if (status != 0) {
      return WireReply.of(request, status);
    }
    long offset = request.required("Chunk-offset", "O");
    if (offset < 0) {
      return WireReply.refusal(request, QfsStatus.INVALID, "negative offset");
    }
    MetaChunk chunk = file.chunks.get(start(offset));
    if (chunk == null) {
      return WireReply.of(request, QfsStatus.NO_ENTRY);
    }
    List<QfsChunkserver> live = chunk.live();
    if (live.isEmpty()) {
      return WireReply.refusal(
          request, QfsStatus.AGAIN, "no replicas available chunk: " + chunk.handle);
    }
    WireReply reply = WireReply.of(request, 0).number("Chunk-handle", "H", chunk.handle);
    reply.number("Chunk-version", "V", chunk.version).flag("Replicas-ordered", "O", true);
    reply.number("Num-replicas", "R", live.size());
    if (reply.shortForm()) {
      reply.flag("SS", "SS", true);
    }
    return reply.servers("Replicas", "S", live, List.of());
  }

  /** GETLAYOUT: the chunks of a file, as words and numbers with spaces between them. */
  WireReply layout(WireRequest request) {
    Inode file = namespace.get(request.required("File-handle", "P"));
    int status = refuses(file);
    if (status != 0) {
      return WireReply.of(request, status);
    }
    Collection<MetaChunk> from =
        file.chunks.tailMap(request.number("Start-offset", "S", 0)).values();
    if (request.flag("Last-chunk-only", "L") && !file.chunks.isEmpty()) {
      from = List.of(file.chunks.lastEntry().getValue());
    }
    long asked = request.number("Max-chunks", "M", 0);
    long max = asked <= 0 ? Long.MAX_VALUE : asked;
    boolean servers = !request.flag("Omit-locations", "O");
    StringBuilder body = new StringBuilder();
    int radix = request.wantsShort() ? 16 : 10;
    int count = 0;
    for (MetaChunk chunk : from) {
      if (count == max) {
        break;
      }
      List<QfsChunkserver> live = servers ? chunk.live() : List.of();
      if (servers && live.isEmpty() && !request.flag("Continue-if-no-replicas", "R")) {
        return WireReply.refusal(request, QfsStatus.AGAIN, "no replicas of " + chunk.handle);
      }
      count++;
      append(body, chunk, live, radix);
    }
    WireReply reply = WireReply.of(request, 0);
    if (count < from.size()) {
      reply.flag("Has-more-chunks", "MC", true);
    }
    if (file.size >= 0) {
      reply.number("File-size", "S", file.size);
    }
    reply.number("Num-chunks", "C", count);
    return reply.body(body.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static void append(
      StringBuilder body, MetaChunk chunk, List<QfsChunkserver> live, int radix) {
    for (long number : new long[] {chunk.offset, chunk.handle, chunk.version, live.size()}) {
      body.append(Long.toString(number, radix)).append(' ');
    }
    for (QfsChunkserver server : live) {
      body.append(QfsTestServer.HOST).append(' ');
      body.append(Integer.toString(server.port(), radix)).append(' ');
    }
    body.append('\n');
  }

  WireReply allocate(WireRequest request) {
    Inode file = namespace.get(request.required("File-handle", "P"));
    int status = refuses(file);
    if (status != 0) {
      return WireReply.of(request, status);
    }
    if (request.flag("Chunk-append", "A")) {
      return allocateForAppend(request, file);
    }
    long offset = request.required("Chunk-offset", "S");
    if (offset < 0 || offset % Replica.CHUNK_BYTES != 0) {
      return WireReply.refusal(request, QfsStatus.INVALID, "offset is not a chunk's first byte");
    }
    MetaChunk chunk = file.chunks.get(offset);
    if (chunk == null) {
      chunk = chunks.create(file, offset, false);
      return chunk == null ? noServers(request) : allocated(request, chunk);
    }
    status = reopen(request, chunk);
    return status == 0
        ? allocated(request, chunk)
        : WireReply.refusal(request, status, "chunk " + chunk.handle + " cannot be written");
  }

  /** Another write lease for a chunk that is there; the version grows unless it is leased still. */
  private int reopen(WireRequest request, MetaChunk chunk) {
    if (chunk.hasReadLease(chunks.nowNs())) {
      return QfsStatus.BUSY;
    }
    List<QfsChunkserver> live = chunk.live();
    if (live.isEmpty()) {
      return QfsStatus.AGAIN;
    }
    if (request.flag("Invalidate-all", "I")) {
      chunk.servers.forEach(server -> server.drop(chunk.handle));
      return QfsStatus.AGAIN;
    }
    boolean whole = live.size() == chunk.servers.size();
    if (chunk.append && chunk.writeLeased) {
      return QfsStatus.BUSY;
    }
    if (chunk.writeLeased && whole && live.get(0).hasWorkingLease(chunk.handle)) {
      return 0;
    }
    chunk.version++;
    chunk.servers = List.copyOf(live);
    for (QfsChunkserver server : live) {
      server.reopen(chunk);
    }
    chunks.lease(chunk);
    return 0;
  }

  private WireReply allocateForAppend(WireRequest request, Inode file) {
    long promise = request.number("Space-reserve", "R", 0);
    long maxAppenders = Math.max(MIN_APPENDERS, request.number("Max-appenders", "M", 64));
    long hint = request.number("Chunk-offset", "S", -1);
    MetaChunk open = null;
    for (MetaChunk chunk : file.chunks.values()) {
      boolean takes = chunk.append && chunk.writeLeased && !chunk.full && !chunk.flushing;
      boolean room = chunk.promisedBytes + promise <= Replica.CHUNK_BYTES;
      if (takes && room && chunk.offset >= hint && chunk.appenders < maxAppenders && allUp(chunk)) {
        open = chunk;
      }
    }
    if (open == null) {
      long last = ChunkMap.lastOffset(file);
      long next = last < 0 ? 0 : last + Replica.CHUNK_BYTES;
      open = chunks.create(file, Math.max(next, start(Math.max(0, hint))), true);
    }
    if (open == null) {
      return noServers(request);
    }
    open.promisedBytes += promise;
    open.appenders++;
    return allocated(request, open);
  }

  private static boolean allUp(MetaChunk chunk) {
    return chunk.live().size() == chunk.servers.size();
  }

  private static WireReply noServers(WireRequest request) {
    return WireReply.refusal(request, QfsStatus.NO_SPACE, "no chunkserver is up");
  }

  private static WireReply allocated(WireRequest request, MetaChunk chunk) {
    WireReply reply = WireReply.of(request, 0).number("Chunk-handle", "H", chunk.handle);
    reply.number("Chunk-version", "V", chunk.version);
    if (chunk.append) {
      reply.number("Chunk-offset", "O", chunk.offset);
    }
    if (reply.shortForm()) {
      reply.flag("SS", "SS", true);
    } else {
      reply.servers("Master", "", chunk.servers.subList(0, 1), List.of());
    }
    reply.number("Num-replicas", "R", chunk.servers.size());
    return reply.servers("Replicas", "S", chunk.servers, List.of());
  }

  WireReply truncate(WireRequest request) {
    Inode file = namespace.get(request.required("File-handle", "P"));
    long offset = request.required("Offset", "S");
    long end = request.number("End-offset", "E", -1);
    int status = refuses(file);
    if (status == 0 && (offset < 0 || end >= 0 && (end < offset || start(end) != end))) {
      status = QfsStatus.INVALID;
    }
    if (status == 0 && file.size != offset && request.flag("Prune-from-head", "H")) {
      status = QfsStatus.NO_OPERATION;
    }
    boolean inside = status == 0 && file.chunks.containsKey(start(offset));
    if (inside && start(offset) < offset && offset < file.size) {
      status = QfsStatus.ACCESS;
    }
    if (status == 0 && file.size != offset) {
      cut(file, offset, end);
    }
    WireReply reply = WireReply.of(request, status);
    return status == 0 && end >= 0 ? reply.number("End-offset", "O", end) : reply;
  }

  private void cut(Inode file, long offset, long end) {
    long first = start(offset) == offset ? offset : start(offset) + Replica.CHUNK_BYTES;
    long last = end < 0 ? Long.MAX_VALUE : end;
    if (first < last) {
      List.copyOf(file.chunks.subMap(first, last).values()).forEach(chunks::remove);
    }
    file.size = end < 0 ? offset : Math.max(file.size, end);
    file.modified = namespace.nowMicros();
  }

  WireReply acquireLease(WireRequest request) {
    MetaChunk chunk = chunks.get(request.required("Chunk-handle", "H"));
    if (chunk == null) {
      return WireReply.refusal(request, QfsStatus.NO_ENTRY, "no such chunk");
    }
    if (request.flag("Flush-write-lease", "F") && chunk.writeLeased) {
      chunks.flush(chunk);
    }
    if (chunk.writeLeased) {
      return WireReply.refusal(request, QfsStatus.BUSY, "chunk has a write lease");
    }
    if (chunk.live().isEmpty()) {
      return WireReply.refusal(request, QfsStatus.AGAIN, "no replica of the chunk is up");
    }
    return WireReply.of(request, 0).number("Lease-id", "L", chunks.newReadLease(chunk));
  }

  WireReply renewLease(WireRequest request) {
    MetaChunk chunk = chunks.get(request.required("Chunk-handle", "H"));
    long id = request.required("Lease-id", "L");
    if (chunk == null || !chunks.renewReadLease(chunk, id)) {
      return WireReply.refusal(request, QfsStatus.LEASE_EXPIRED, "no such lease");
    }
    return WireReply.of(request, 0);
  }

  WireReply relinquishLease(WireRequest request) {
    MetaChunk chunk = chunks.get(request.required("Chunk-handle", "H"));
    if (chunk == null || chunk.readLeases.remove(request.required("Lease-id", "L")) == null) {
      return WireReply.refusal(request, QfsStatus.LEASE_EXPIRED, "no such lease");
    }
    return WireReply.of(request, 0);
  }

  private static int refuses(Inode file) {
    if (file == null) {
      return QfsStatus.NO_ENTRY;
    }
    return file.directory ? QfsStatus.IS_DIRECTORY : 0;
  }

  private static long start(long offset) {
    return offset - Math.floorMod(offset, Replica.CHUNK_BYTES);
  }
}
