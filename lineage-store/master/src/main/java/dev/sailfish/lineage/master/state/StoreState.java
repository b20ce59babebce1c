package dev.sailfish.lineage.master.state;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.sailfish.ground.journal.StateMachine;
import dev.sailfish.ground.journal.StateView;
import dev.sailfish.lineage.master.message.SeenBelow;
import dev.sailfish.lineage.master.message.StoreEntry;
import dev.sailfish.lineage.master.namespace.Caller;
import dev.sailfish.lineage.master.namespace.FileInfo;
import dev.sailfish.lineage.master.namespace.Namespace;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import dev.sailfish.lineage.master.namespace.Place;
import dev.sailfish.lineage.master.namespace.Sighting;
import dev.sailfish.lineage.master.namespace.Worker;
import dev.sailfish.lineage.master.table.InodeTable;
import dev.sailfish.lineage.protocol.wire.ChangeRequest;
import dev.sailfish.lineage.protocol.wire.ChangeResponse;
import dev.sailfish.lineage.protocol.wire.KeptCopy;
import dev.sailfish.lineage.protocol.wire.Refusal;
import dev.sailfish.lineage.protocol.wire.RegisterWorkerRequest;
import dev.sailfish.lineage.protocol.wire.RegisterWorkerResponse;
import dev.sailfish.lineage.protocol.wire.ReportBlocksRequest;
import dev.sailfish.lineage.protocol.wire.ReportBlocksResponse;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The master's state. An entry is a {@link StoreEntry}, a reply the response to what is in it.
 *
 * <p>With each entry some of what was deleted is freed, and some of what is said of workers that
 * are gone, so that deleting a large tree or losing a worker delays nobody; an entry with nothing
 * in it frees more.
 */
public final class StoreState implements StateMachine {
  private static final Logger LOG = LoggerFactory.getLogger(StoreState.class);
  private static final int FREED_PER_CHANGE = 200;
  private static final int FREED_PER_OTHER_ENTRY = 5000;
  private static final int EXPIRED_PER_ENTRY = 1000;
  private static final byte[] DONE = ChangeResponse.getDefaultInstance().toByteArray();

  private static final int NO_MORE = 3; // in place of a tier

  /** Hears what becomes of this master and of files. Called while an entry is applied. */
  public interface Listener extends Namespace.Freed {
    /** This master begins to lead. */
    void lead();

    /** It leads no more. */
    void follow();

    /** A worker has blocks of a file that is to leave the workers, because it is below, too. */
    default void free(long fid, int worker) {}

    /** What is mounted is not what it was. */
    void mounted();
  }

  private final Listener listener;

  /** Volatile, because {@link #load} replaces it without the driver's lock. */
  private final long keptMs;

  private volatile Namespace namespace;

  private Answers answers = new Answers();
  private long timeMs;
  private boolean hasGarbage;

  /** An empty store whose dependencies go as soon as they need not be kept. */
  public StoreState(Listener listener) {
    this(listener, 0);
  }

  /**
   * An empty store.
   *
   * @param keptMs how long a dependency stays that need not be kept, the same on all masters
   */
  public StoreState(Listener listener, long keptMs) {
    this.listener = listener;
    this.keptMs = keptMs;
    begin(Namespace.empty());
  }

  private void begin(Namespace next) {
    next.lineage().graph().keepFor(keptMs);
    namespace = next;
  }

  /**
   * The entry of a change, for the user that it names.
   *
   * @param wallMs by which files are modified, in milliseconds since 1970
   */
  public static byte[] change(ChangeRequest change, long wallMs) {
    return at(wallMs).setChange(change).build().toByteArray();
  }

  /**
   * The entry by which all goes that a client writes, and was never complete.
   *
   * @param wallMs by which directories are modified, in milliseconds since 1970
   */
  public static byte[] expiry(long client, long wallMs) {
    return at(wallMs).setExpiredClient(client).build().toByteArray();
  }

  private static StoreEntry.Builder at(long wallMs) {
    return StoreEntry.newBuilder().setWallMs(Math.max(0, Math.min(InodeTable.LAST_MS, wallMs)));
  }

  /**
   * The entry of a file that a client was told is begun, and whose creation it has not asked for.
   *
   * @param creation creates a file, under an id that is kept for the client
   * @param wallMs by which files are modified, in milliseconds since 1970
   */
  public static byte[] announced(ChangeRequest creation, long wallMs) {
    return at(wallMs).setAnnounced(creation).build().toByteArray();
  }

  /** The entry of a worker that comes. */
  public static byte[] newWorker(RegisterWorkerRequest worker) {
    return StoreEntry.newBuilder().setNewWorker(worker).build().toByteArray();
  }

  /** The entry by which a worker is gone. */
  public static byte[] goneWorker(int number) {
    return StoreEntry.newBuilder().setGoneWorker(number).build().toByteArray();
  }

  /** The entry of what a worker says of its blocks. */
  public static byte[] report(ReportBlocksRequest report) {
    return StoreEntry.newBuilder().setReport(report).build().toByteArray();
  }

  /**
   * The entry of what the leader has seen below.
   *
   * @param kept deleted inputs of which was seen that they were moved out of sight there
   * @param sightings directories before what is in them
   * @param wallMs by which directories are modified, in milliseconds since 1970
   */
  public static byte[] seen(List<KeptCopy> kept, List<Sighting> sightings, long wallMs) {
    StoreEntry.Builder entry = at(wallMs).addAllKept(kept);
    sightings.forEach(sighting -> entry.addSeen(StoreMessages.seen(sighting)));
    return entry.build().toByteArray();
  }

  /**
   * The entry by which some files go whose time is over.
   *
   * @param wallMs by which directories are modified, in milliseconds since 1970
   */
  public static byte[] expireFiles(long wallMs) {
    return at(wallMs).setExpireFiles(true).build().toByteArray();
  }

  /**
   * The entry by which a worker takes no new blocks.
   *
   * @param returns whether it will be back with what it has; if not, others copy that
   */
  public static byte[] drainWorker(int number, boolean returns) {
    return StoreEntry.newBuilder()
        .setDrainWorker(number)
        .setWorkerReturns(returns)
        .build()
        .toByteArray();
  }

  /** The entry by which what is with workers that are gone counts as lost. */
  public static byte[] lookForLost() {
    return StoreEntry.newBuilder().setLookForLost(true).build().toByteArray();
  }

  /**
   * The entry by which some lineage records grow no more.
   *
   * @param sinceMs by the journal's clock: those that have not grown since then
   */
  public static byte[] sealIdle(long sinceMs) {
    return StoreEntry.newBuilder().setSealIdleSince(sinceMs).build().toByteArray();
  }

  /** The tree of files; to be read only, under the driver's lock. */
  public Namespace namespace() {
    return namespace;
  }

  /** Whether there is something left to be freed: an empty entry frees some. */
  public boolean hasGarbage() {
    return hasGarbage;
  }

  @Override
  public byte[] apply(byte[] bytes, long nowMs) {
    StoreEntry entry;
    try {
      entry = StoreEntry.parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException("an entry of the store's journal is damaged", e);
    }
    timeMs = nowMs;
    answers.expire(nowMs);
    namespace.at(nowMs);
    byte[] reply = DONE;
    if (entry.hasChange()) {
      reply = once(entry.getChange(), entry.getWallMs());
    } else if (entry.hasAnnounced()) {
      // One that is refused was completed or given up before, or its client is gone.
      reply = make(entry.getAnnounced(), entry.getWallMs()).toByteArray();
    } else if (entry.getExpiredClient() != 0) {
      namespace.clientGone(entry.getExpiredClient(), entry.getWallMs());
    } else if (entry.hasNewWorker()) {
      reply = join(entry.getNewWorker()).toByteArray();
    } else if (entry.getGoneWorker() != 0) {
      namespace.removeWorker(entry.getGoneWorker());
    } else if (entry.hasReport()) {
      reply = take(entry.getReport()).toByteArray();
    } else if (entry.getSeenCount() > 0) {
      keep(entry.getKeptList(), entry.getWallMs());
      take(entry.getSeenList(), entry.getWallMs());
    } else if (entry.getExpireFiles()) {
      namespace.expire(EXPIRED_PER_ENTRY, entry.getWallMs(), listener::free);
    } else if (entry.getDrainWorker() != 0) {
      namespace.uses().holders().drain(entry.getDrainWorker(), entry.getWorkerReturns());
    } else if (entry.getLookForLost()) {
      namespace.lineage().lookForLost();
    } else if (entry.getSealIdleSince() != 0) {
      namespace.lineage().sealIdle(entry.getSealIdleSince());
    }
    int limit = entry.hasChange() ? FREED_PER_CHANGE : FREED_PER_OTHER_ENTRY;
    hasGarbage = namespace.sweep(limit, listener);
    return reply;
  }

  private RegisterWorkerResponse join(RegisterWorkerRequest asked) {
    RegisterWorkerResponse.Builder response = RegisterWorkerResponse.newBuilder();
    try {
      Worker worker = namespace.addWorker(asked.getId(), asked.getHost(), asked.getPort());
      response.setNumber(worker.number());
    } catch (NamespaceException e) {
      response.setRefusal(StoreMessages.refusal(e));
    }
    return response.build();
  }

  private ReportBlocksResponse take(ReportBlocksRequest report) {
    ReportBlocksResponse.Builder response = ReportBlocksResponse.newBuilder();
    int worker = report.getWorker();
    if (!namespace.isLive(worker)) {
      return response.setUnknown(true).build();
    }
    for (int i = 0; i < report.getFidsCount(); i++) {
      long fid = report.getFids(i);
      int block = report.getBlocks(i);
      int tier = report.getTiers(i);
      if (tier == NO_MORE) {
        namespace.release(fid, block, worker);
      } else if (!namespace.hold(fid, block, Place.of(worker, tier))) {
        response.addUnneeded(i);
      }
    }
    for (int i : report.getSpareList()) {
      if (namespace.uses().holders().drop(worker, report.getFids(i), report.getBlocks(i))) {
        response.addDropped(i);
      }
    }
    return response.build();
  }

  private void keep(List<KeptCopy> copies, long wallMs) {
    for (KeptCopy kept : copies) {
      try {
        namespace.keptCopies().keep(kept.getFid(), StoreMessages.below(kept.getBelow()), wallMs);
      } catch (NamespaceException e) {
        LOG.warn("a deleted input is not kept: fid={} {}", kept.getFid(), e.getMessage());
      }
    }
  }

  /** What cannot be in the tree, because of its name or its owner's, is not there. */
  private void take(List<SeenBelow> all, long wallMs) {
    for (SeenBelow seen : all) {
      try {
        namespace.mounted().take(StoreMessages.sighting(seen), wallMs);
      } catch (NamespaceException e) {
        LOG.warn("a file below is not taken: path={} {}", seen.getPath(), e.getMessage());
      }
    }
  }

  private byte[] once(ChangeRequest change, long wallMs) {
    long client = change.getClient();
    long number = change.getNumber();
    byte[] before = answers.find(client, number);
    if (before != null) {
      return before;
    }
    if (answers.isAnswered(client, number)) {
      return refused(
          Refusal.Reason.ANSWERED,
          "change %d of client %016x was answered before".formatted(number, client));
    }
    answers.forget(client, change.getAnsweredBelow(), timeMs);
    if (answers.isFull(client)) {
      return refused(
          Refusal.Reason.FULL,
          "client %016x waits for %d changes: no more before it has an answer"
              .formatted(client, Answers.MOST_PER_CLIENT));
    }
    byte[] reply = make(change, wallMs).toByteArray();
    if (change.hasAddMount() || change.hasRemoveMount()) {
      listener.mounted();
    }
    answers.keep(client, number, reply);
    return reply;
  }

  private ChangeResponse make(ChangeRequest change, long wallMs) {
    ChangeResponse.Builder response = ChangeResponse.newBuilder();
    try {
      if (LineageChanges.has(change)) {
        LineageChanges.apply(namespace, change, wallMs, response);
        return response.build();
      }
      FileInfo info = ChangeApplier.apply(namespace, change, wallMs);
      if (info != null) {
        response.setEntry(StoreMessages.entry(info));
      }
    } catch (NamespaceException e) {
      return response.setRefusal(StoreMessages.refusal(e)).build();
    }
    if (change.getReserve() > 0) {
      response.addAllReserved(reserve(change));
    }
    return response.build();
  }

  /** No ids are no reason to refuse the change. */
  private List<Long> reserve(ChangeRequest change) {
    Caller caller = StoreMessages.caller(change.getUser());
    try {
      return namespace.writing().reserve(change.getClient(), change.getReserve(), caller);
    } catch (NamespaceException e) {
      LOG.debug("client={} gets no ids: {}", change.getClient(), e.getMessage());
      return List.of();
    }
  }

  private static byte[] refused(Refusal.Reason reason, String message) {
    Refusal refusal = Refusal.newBuilder().setReason(reason).setMessage(message).build();
    return ChangeResponse.newBuilder().setRefusal(refusal).build().toByteArray();
  }

  /** Writes { time:8 answers, as Answers.write says namespace, as NamespaceImage says }. */
  @Override
  public StateView freeze() {
    byte[] head = head();
    StateView files = namespace.freeze();
    return new StateView() {
      private boolean hasHead;

      @Override
      public boolean write(OutputStream out) throws IOException {
        if (!hasHead) {
          out.write(head);
          hasHead = true;
          return true;
        }
        return files.write(out);
      }

      @Override
      public void close() {
        files.close();
      }
    };
  }

  private byte[] head() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeLong(timeMs);
      answers.write(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /** Lets go of what there is before it reads: there is not memory for both. */
  @Override
  public long load(InputStream in) throws IOException {
    begin(Namespace.empty());
    answers = new Answers();
    DataInputStream data = new DataInputStream(new BufferedInputStream(in));
    long time = data.readLong();
    Answers kept = Answers.read(data);
    begin(Namespace.read(data));
    answers = kept;
    timeMs = time;
    hasGarbage = true; // or not: the next entry tells
    listener.mounted();
    return time;
  }

  @Override
  public byte[] firstEntry() {
    return StoreEntry.getDefaultInstance().toByteArray();
  }

  @Override
  public void lead(long nowMs) {
    listener.lead();
  }

  @Override
  public void follow() {
    listener.follow();
  }
}
