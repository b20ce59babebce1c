package dev.sailfish.lineage.worker.under;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.LeaderClient;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.RetryPolicy;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.lineage.protocol.LineageService;
import dev.sailfish.lineage.protocol.wire.ChangeRequest;
import dev.sailfish.lineage.protocol.wire.ChangeResponse;
import dev.sailfish.lineage.protocol.wire.ListMountsRequest;
import dev.sailfish.lineage.protocol.wire.ListMountsResponse;
import dev.sailfish.lineage.protocol.wire.MountEntry;
import dev.sailfish.lineage.protocol.wire.OpenFileRequest;
import dev.sailfish.lineage.protocol.wire.OpenFileResponse;
import dev.sailfish.lineage.protocol.wire.RecordCopy;
import dev.sailfish.lineage.protocol.wire.Refusal;
import dev.sailfish.lineage.protocol.wire.RewriteBlock;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import dev.sailfish.lineage.protocol.wire.UnderFileRequest;
import dev.sailfish.lineage.protocol.wire.UnderFileResponse;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import dev.sailfish.lineage.understore.UnderStoreException;
import dev.sailfish.lineage.understore.mount.Mount;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * What the master is asked and told of files below. Waits on the caller's thread, for a while when
 * no master leads. Thread-safe; callers do not wait for each other.
 */
final class MasterCalls implements Closeable {
  private static final RetryPolicy RETRY = RetryPolicy.TASK;
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** For what is done below already, and would be undone. */
  private static final Duration LONG_PATIENCE = Duration.ofSeconds(60);

  private static final int KEPT = 4;
  private static final StoreUser WORKER =
      StoreUser.newBuilder().setName("lineage-worker").setSuperuser(true).build();

  private final Supplier<LeaderClient> connector;
  private final long client;
  private final Deque<LeaderClient> idle = new ArrayDeque<>();

  /** Numbers of changes that have no answer yet. */
  private final TreeSet<Long> unanswered = new TreeSet<>();

  private long changes;
  private boolean closed;

  /**
   * @param connector makes a further client of the masters
   * @param client names this process among all that change the namespace: a random number, not 0
   */
  MasterCalls(Supplier<LeaderClient> connector, long client) {
    this.connector = connector;
    this.client = client;
  }

  /**
   * Where a file is below.
   *
   * @param changed whether it was found to be another one than the master says
   * @throws RequestRefusedException NOT_HELD when there is no such file, or no mount above it
   */
  Below file(long fid, boolean changed) throws IOException {
    UnderFileResponse response =
        ask(UnderFileRequest.newBuilder().setFid(fid).setChanged(changed).build());
    try {
      return Below.of(fid, response);
    } catch (IllegalArgumentException | UnderStoreException e) {
      throw new RequestRefusedException(
          Status.INTERNAL,
          "the master's mount is not understood here, are all daemons of one version? fid=%016x: %s"
              .formatted(fid, e.getMessage()));
    }
  }

  private UnderFileResponse ask(UnderFileRequest asked) throws IOException {
    UnderFileResponse response =
        call(LineageService.UNDER_FILE, asked, UnderFileResponse.parser(), PATIENCE);
    require(response.hasRefusal(), response.getRefusal());
    return response;
  }

  /**
   * Where a worker is, by which a block of a file is said to be of which the master has not heard
   * yet.
   *
   * @throws RequestRefusedException NOT_HELD when no such worker lives
   */
  WorkerAddress worker(long fid, int number) throws IOException {
    UnderFileResponse response =
        ask(UnderFileRequest.newBuilder().setFid(fid).setWorker(number).build());
    if (!response.hasWorker()) {
      throw new RequestRefusedException(Status.NOT_HELD, "the master knows no worker " + number);
    }
    return response.getWorker();
  }

  /**
   * Where blocks of a file are, from one on.
   *
   * @param limit how many, at most; 0: as many as the master names in one answer
   */
  OpenFileResponse locate(long fid, int firstBlock, int limit) throws IOException {
    OpenFileRequest asked =
        OpenFileRequest.newBuilder()
            .setUser(WORKER)
            .setFid(fid)
            .setFirstBlock(firstBlock)
            .setBlockLimit(limit)
            .build();
    OpenFileResponse response =
        call(LineageService.OPEN, asked, OpenFileResponse.parser(), PATIENCE);
    require(response.hasRefusal(), response.getRefusal());
    return response;
  }

  /**
   * Has the master journal a copy.
   *
   * @throws RequestRefusedException when it does not: the copy counts for nothing
   * @throws IOException when there is no answer: the copy may count or not
   */
  void record(RecordCopy copy) throws IOException {
    change(change -> change.setRecordCopy(copy), LONG_PATIENCE);
  }

  /**
   * Has the master journal that a block is written again here.
   *
   * @throws RequestRefusedException when it is not to be
   */
  void rewrite(RewriteBlock block) throws IOException {
    change(change -> change.setRewriteBlock(block), PATIENCE);
  }

  private void change(Consumer<ChangeRequest.Builder> what, Duration patience) throws IOException {
    long number = begin();
    try {
      ChangeRequest.Builder change =
          ChangeRequest.newBuilder()
              .setClient(client)
              .setNumber(number)
              .setAnsweredBelow(oldest())
              .setUser(WORKER);
      what.accept(change);
      ChangeResponse response =
          call(LineageService.CHANGE, change.build(), ChangeResponse.parser(), patience);
      require(response.hasRefusal(), response.getRefusal());
    } finally {
      end(number);
    }
  }

  /** All mounts. */
  List<Mount> mounts() throws IOException {
    ListMountsRequest asked = ListMountsRequest.newBuilder().setUser(WORKER).build();
    ListMountsResponse response =
        call(LineageService.LIST_MOUNTS, asked, ListMountsResponse.parser(), PATIENCE);
    require(response.hasRefusal(), response.getRefusal());
    List<Mount> mounts = new ArrayList<>();
    for (MountEntry entry : response.getMountsList()) {
      mounts.add(Mount.parse(entry.getMount()));
    }
    return mounts;
  }

  private synchronized long begin() {
    changes++;
    unanswered.add(changes);
    return changes;
  }

  private synchronized long oldest() {
    return unanswered.first();
  }

  private synchronized void end(long number) {
    unanswered.remove(number);
  }

  private static void require(boolean isRefused, Refusal refusal) throws RequestRefusedException {
    if (isRefused) {
      throw new RequestRefusedException(
          refusal.getReason() == Refusal.Reason.DENIED ? Status.FORBIDDEN : Status.NOT_HELD,
          "the master says: " + refusal.getMessage());
    }
  }

  private <Q extends MessageLite, A extends MessageLite> A call(
      Operation<Q, A> operation, Q request, Parser<A> parser, Duration patience)
      throws IOException {
    LeaderClient master = take();
    try {
      return master.call(operation, request, parser, RETRY, patience);
    } finally {
      giveBack(master);
    }
  }

  private synchronized LeaderClient take() throws IOException {
    if (closed) {
      throw new IOException("the worker ends");
    }
    return idle.isEmpty() ? connector.get() : idle.pop();
  }

  private void giveBack(LeaderClient master) {
    synchronized (this) {
      if (!closed && idle.size() < KEPT) {
        idle.push(master);
        return;
      }
    }
    master.close();
  }

  @Override
  public synchronized void close() {
    closed = true;
    idle.forEach(LeaderClient::close);
    idle.clear();
  }
}
