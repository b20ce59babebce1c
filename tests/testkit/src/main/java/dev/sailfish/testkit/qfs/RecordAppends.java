package dev.sailfish.testkit.qfs;

import dev.sailfish.testkit.qfs.AppendTable.Row;
import dev.sailfish.testkit.qfs.AppendTable.State;
import dev.sailfish.testkit.qfs.QfsChunkserver.Link;
import java.util.ArrayList;
import java.util.List;

/**
 * Atomic record append: the first server of a chain chooses the place of each record. A write id
 * has one append under way, and after a failure or a question for its status none any more.
 */
final class RecordAppends {
  private final ChunkMap chunks;
  private final QfsChunkserver.Chain chain;

  RecordAppends(ChunkMap chunks, QfsChunkserver.Chain chain) {
    this.chunks = chunks;
    this.chain = chain;
  }

  WireReply allocateIds(WireRequest request, Replica replica) {
    List<Link> links = chain.of(request, false);
    if (links.isEmpty()) {
      return WireReply.refusal(request, QfsStatus.INVALID, "invalid or missing Servers: field");
    }
    if (replica == null) {
      return WireReply.refusal(request, QfsStatus.NO_CHUNK, "no such chunk");
    }
    if (!chunks.renewWriteLease(replica.handle)) {
      return WireReply.refusal(request, QfsStatus.LEASE_EXPIRED, "no valid write lease exists");
    }
    List<Long> ids = new ArrayList<>();
    for (Link link : links) {
      Replica other = link.server().replica(replica.handle);
      int refused = other == replica ? 0 : PlainWrites.reach(link.server(), "WRITE_ID_ALLOC");
      if (refused == 0 && (other == null || other.appends == null)) {
        refused = QfsStatus.INVALID;
      }
      if (refused == 0 && other.appends.state() != State.OPEN) {
        refused = QfsStatus.PROTOCOL_STATE;
      }
      if (refused != 0) {
        return WireReply.refusal(request, refused, "no write id at port " + link.server().port());
      }
      ids.add(chunks.newId());
    }
    for (int i = 0; i < ids.size(); i++) {
      AppendTable table = links.get(i).server().replica(replica.handle).appends;
      Row row = new Row();
      row.sequence = request.number("Cseq", "c", 0);
      table.rows.put(ids.get(i), row);
    }
    return PlainWrites.granted(request, links, ids);
  }

  WireReply reserve(WireRequest request, Replica replica) {
    List<Link> links = chain.of(request, true);
    Row row = row(links, replica);
    if (row == null) {
      return WireReply.refusal(request, QfsStatus.INVALID, "invalid write id");
    }
    AppendTable table = replica.appends;
    if (table.state() != State.OPEN) {
      return WireReply.refusal(request, QfsStatus.PROTOCOL_STATE, table.state().text);
    }
    if (row.readOnly) {
      return WireReply.refusal(request, QfsStatus.INVALID, "no appends allowed with this write id");
    }
    long bytes = request.required("Num-bytes", "B");
    if (replica.size() + table.reserved + bytes > Replica.CHUNK_BYTES) {
      chunks.get(replica.handle).full = true;
      return WireReply.refusal(request, QfsStatus.NO_SPACE, "out of space");
    }
    table.reserved += bytes;
    row.reserved += bytes;
    row.connection = request.connection();
    return WireReply.of(request, 0);
  }

  WireReply release(WireRequest request, Replica replica) {
    Row row = row(chain.of(request, true), replica);
    if (row != null && !row.readOnly) {
      long bytes = Math.min(row.reserved, request.required("Num-bytes", "B"));
      row.reserved -= bytes;
      replica.appends.reserved -= bytes;
    }
    return WireReply.of(request, 0);
  }

  private static Row row(List<Link> links, Replica replica) {
    if (links.isEmpty() || replica == null || replica.appends == null) {
      return null;
    }
    return replica.appends.rows.get(links.get(0).writeId());
  }

  WireReply append(WireRequest request, Replica replica) {
    List<Link> links = chain.of(request, true);
    String refused = refuses(request, links, replica);
    if (refused != null) {
      int status = QfsStatus.INVALID;
      if (replica != null && replica.appends != null) {
        Row row = row(links, replica);
        boolean open = replica.appends.state() == State.OPEN;
        status = open ? status : QfsStatus.PROTOCOL_STATE;
        status = open && row != null && row.readOnly ? QfsStatus.READ_ONLY : status;
      }
      return WireReply.refusal(request, status, refused);
    }
    if (!chunks.renewWriteLease(replica.handle)) {
      return WireReply.refusal(request, QfsStatus.LEASE_EXPIRED, "no valid write lease exists");
    }
    byte[] record = request.body();
    Row row = row(links, replica);
    row.reserved -= record.length;
    replica.appends.reserved -= record.length;
    if (request.required("Checksum", "K") != QfsChunkserver.checksum(record)) {
      return WireReply.refusal(request, QfsStatus.BAD_CHECKSUM, "checksum mismatch");
    }
    long offset = replica.size();
    int status = replicate(request, links, replica);
    if (status != 0) {
      return WireReply.refusal(request, status, "replication failed");
    }
    return WireReply.of(request, 0).number("File-offset", "FO", offset);
  }

  /** Why an append cannot be begun, or null. */
  private static String refuses(WireRequest request, List<Link> links, Replica replica) {
    Row row = row(links, replica);
    if (row == null) {
      return "invalid write id";
    }
    long length = request.body().length;
    if (replica.appends.state() != State.OPEN) {
      return replica.appends.state().text;
    }
    if (row.readOnly) {
      return "no appends allowed with this write id";
    }
    if (row.status != 0) {
      return "invalid write id: previous append failed";
    }
    if (request.required("Offset", "O") >= 0) {
      return "protocol error: offset specified for master";
    }
    if (replica.size() + length > Replica.CHUNK_BYTES) {
      return "out of chunk space";
    }
    if (row.connection != request.connection() || row.reserved < length) {
      return "out of client reserved space";
    }
    return null;
  }

  /** Writes a record on every server, or on none that stays and ends the chunk. */
  private int replicate(WireRequest request, List<Link> links, Replica master) {
    byte[] record = request.body();
    int offset = master.size();
    for (Link link : links) {
      Replica replica = link.server().replica(master.handle);
      int status = replica == master ? 0 : PlainWrites.reach(link.server(), "RECORD_APPEND");
      Row row = replica == null ? null : replica.appends.rows.get(link.writeId());
      if (status == 0 && row == null) {
        status = QfsStatus.INVALID;
      }
      if (status != 0) {
        fail(links, master, offset);
        return QfsStatus.AGAIN;
      }
      replica.write(offset, record);
      row.status = 0;
      row.offset = offset;
      row.length = record.length;
      row.sequence = request.number("Cseq", "c", 0);
      row.count++;
    }
    return 0;
  }

  /** Takes the record back where it is; what came of it is known when the chunk is stable. */
  private void fail(List<Link> links, Replica master, int offset) {
    for (Link link : links) {
      Replica replica = link.server().replica(master.handle);
      Row row = replica == null ? null : replica.appends.rows.get(link.writeId());
      if (row != null && row.offset == offset) {
        row.status = QfsStatus.AGAIN;
        row.count--;
        replica.resize(offset);
      }
    }
    master.appends.become(State.REPLICATION_FAILED);
    MetaChunk chunk = chunks.get(master.handle);
    chunk.full = true;
    chunks.flush(chunk);
  }

  /** The outcome of a write id's last append; the id appends no more. Any server of the chain. */
  WireReply status(WireRequest request, Replica replica) {
    AppendTable table = replica == null ? null : replica.appends;
    Row row = table == null ? null : table.rows.get(request.required("Write-id", "W"));
    if (row == null) {
      int status = table == null ? QfsStatus.INVALID : QfsStatus.NO_ENTRY;
      return WireReply.refusal(request, status, "no such write id");
    }
    long reservedBefore = row.reserved;
    long allReserved = table.reserved;
    boolean before = table.makeReadOnly(row);
    WireReply reply = WireReply.of(request, 0).number("Chunk-version", "V", replica.version);
    reply.number("Op-seq", "Oc", row.sequence).number("Op-status", "Os", row.status);
    reply.number("Op-offset", "OO", row.offset).number("Op-length", "OL", Math.max(0, row.length));
    reply.number("Wid-append-count", "AC", row.count);
    reply.number("Wid-bytes-reserved", "RW", reservedBefore);
    reply.number("Chunk-bytes-reserved", "RB", allReserved);
    reply.number("Remaining-lease-time", "LR", table.master ? chunks.leaseSeconds() : -1);
    reply.number("Master-commit-offset", "CO", replica.size());
    reply.number("Next-commit-offset", "CN", replica.size());
    reply.flag("Wid-read-only", "WR", true).flag("Wid-was-read-only", "WP", before);
    reply.flag("Chunk-master", "MC", table.master);
    reply.flag("Stable-flag", "SC", table.state() == State.STABLE);
    reply.flag("Open-for-append-flag", "AO", table.state() == State.OPEN);
    reply.number("Appender-state", "AS", table.state().number);
    return reply.text("Appender-state-string", "As", table.state().text);
  }

  /** An appender leaves; the chunk stays open for others. */
  WireReply close(WireRequest request, Replica replica) {
    List<Link> links = chain.of(request, true);
    Row row = row(links, replica);
    if (row == null) {
      return WireReply.refusal(request, QfsStatus.INVALID, "invalid write or chunk id");
    }
    for (Link link : links) {
      Replica other = link.server().replica(replica.handle);
      Row its =
          other == null || other.appends == null ? null : other.appends.rows.get(link.writeId());
      if (its != null) {
        other.appends.makeReadOnly(its);
      }
    }
    return WireReply.of(request, 0);
  }
}
