package dev.sailfish.testkit.qfs;

import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** Answers the requests that come to one address of the metaserver. */
final class MetaService {
  private final ChunkMap chunks;
  private final MetaNames names;
  private final MetaEntries entries;
  private final MetaChunks placement;
  private final Map<String, WireReply> answered = new HashMap<>();

  MetaService(ChunkMap chunks, Namespace namespace) {
    this.chunks = chunks;
    names = new MetaNames(namespace, chunks);
    entries = new MetaEntries(namespace);
    placement = new MetaChunks(namespace, chunks);
  }

  /**
   * @param primary whether this address is the one that answers
   */
  WireReply answer(WireRequest request, BooleanSupplier primary) {
    synchronized (chunks) {
      chunks.settle();
      if (request.operation().equals("LOOKUP") && request.has("Auth-type", "A")) {
        return greeting(request, primary.getAsBoolean());
      }
      if (!primary.getAsBoolean()) {
        return WireReply.refusal(request, QfsStatus.NOT_PRIMARY, "not primary");
      }
      return once(request);
    }
  }

  private static WireReply greeting(WireRequest request, boolean primary) {
    WireReply reply = WireReply.of(request, 0).flag("Vr-primary", "VRP", primary);
    return reply.number("Auth-type", "A", 1);
  }

  /** A request with an id is carried out once; when it comes again its first answer is repeated. */
  private WireReply once(WireRequest request) {
    if (request.operation().equals("ACK")) {
      String ack = request.text("Ack", "a", "");
      answered.values().removeIf(reply -> reply.acknowledges(ack));
      return null;
    }
    if (!request.has("Rid", "r")) {
      return dispatch(request);
    }
    String id = request.operation() + request.number("Rid", "r", 0);
    WireReply first = answered.get(id);
    if (first != null) {
      return first.repeated(request);
    }
    WireReply reply = dispatch(request);
    answered.put(id, reply);
    return reply;
  }

  private WireReply dispatch(WireRequest request) {
    return switch (request.operation()) {
      case "LOOKUP" -> entries.lookup(request);
      case "LOOKUP_PATH" -> entries.lookupPath(request);
      case "READDIR" -> entries.names(request);
      case "READDIRPLUS" -> entries.attributes(request);
      case "CREATE" -> names.create(request);
      case "MKDIR" -> names.makeDirectory(request);
      case "REMOVE" -> names.remove(request, false);
      case "RMDIR" -> names.remove(request, true);
      case "RENAME" -> names.rename(request);
      case "CHMOD" -> names.setMode(request);
      case "CHOWN" -> names.setOwner(request);
      case "SET_MTIME" -> names.setModified(request);
      case "CHANGE_FILE_REPLICATION" -> names.setReplication(request);
      case "GETALLOC" -> placement.find(request);
      case "GETLAYOUT" -> placement.layout(request);
      case "ALLOCATE" -> placement.allocate(request);
      case "TRUNCATE" -> placement.truncate(request);
      case "LEASE_ACQUIRE" -> placement.acquireLease(request);
      case "LEASE_RENEW" -> placement.renewLease(request);
      case "LEASE_RELINQUISH" -> placement.relinquishLease(request);
      default ->
          WireReply.refusal(request, QfsStatus.NO_OPERATION, "no operation " + request.operation());
    };
  }
}
