package dev.sailfish.ground.journal;

import java.io.BufferedInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.statemachine.impl.SimpleStateMachineStorage;
import org.apache.ratis.statemachine.impl.SingleFileSnapshotInfo;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.LifeCycle;
import org.apache.ratis.util.MD5FileUtil;

/**
 * What Raft sees of the machine: batches of entries as bytes, and a snapshot as one file with its
 * checksum beside it, which {@link SnapshotWriter} writes on its own thread when so many entries
 * were applied, and so much of a log. Raft calls it from one thread, but for what says otherwise.
 */
final class RaftStateMachine extends BaseStateMachine {
  /**
   * The log that a snapshot takes the place of is at least this part of the last snapshot, so that
   * a large state is not written again and again for a few changes.
   */
  private static final int LEAST_PART = 4;

  private final Journal.Machine machine;
  private final long snapshotEntries;
  private final SimpleStateMachineStorage storage = new SimpleStateMachineStorage();
  private final SnapshotWriter writer;
  private long entriesSinceSnapshot;
  private long logBytesSinceSnapshot;
  private volatile boolean closing;
  private volatile boolean broken;

  /**
   * @param snapshotEntries entries after which a snapshot is taken, of a large state later
   * @param complete called when one is complete, so that Raft asks for it and drops the log before
   */
  RaftStateMachine(Journal.Machine machine, long snapshotEntries, Runnable complete) {
    this.machine = machine;
    this.snapshotEntries = snapshotEntries;
    this.writer = new SnapshotWriter(machine, storage, complete);
  }

  /** From here on an end is no failure, and no snapshot is written. */
  void closing() throws IOException {
    closing = true;
    writer.cancel();
  }

  /** Whether an entry could not be applied: Raft, which is told so, closes by itself. */
  boolean isBroken() {
    return broken;
  }

  @Override
  public void initialize(RaftServer server, RaftGroupId group, RaftStorage raftStorage)
      throws IOException {
    super.initialize(server, group, raftStorage);
    getLifeCycle().transition(LifeCycle.State.STARTING);
    storage.init(raftStorage);
    load(storage.getLatestSnapshot());
    getLifeCycle().transition(LifeCycle.State.RUNNING);
  }

  @Override
  public void pause() {
    getLifeCycle().transition(LifeCycle.State.PAUSING);
    getLifeCycle().transition(LifeCycle.State.PAUSED);
  }

  @Override
  public void reinitialize() throws IOException {
    writer.cancel();
    load(storage.loadLatestSnapshot());
    if (getLifeCycleState() == LifeCycle.State.PAUSED) {
      getLifeCycle().transition(LifeCycle.State.STARTING);
      getLifeCycle().transition(LifeCycle.State.RUNNING);
    }
  }

  private void load(SingleFileSnapshotInfo snapshot) throws IOException {
    if (snapshot == null) {
      return;
    }
    File file = snapshot.getFile().getPath().toFile();
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file.toPath()))) {
      MD5Hash written = snapshot.getFile().getFileDigest();
      MD5Hash found = MD5FileUtil.computeMd5ForFile(file);
      if (written == null) {
        LOG.warn("a snapshot has no checksum beside it: file={}", file);
      } else if (!found.equals(written)) {
        throw new IOException("it is damaged: md5 written=" + written + " found=" + found);
      }
      machine.load(in);
    } catch (Error e) {
      machine.failed("a snapshot cannot be read: file=" + file + ": " + e, e);
      throw e;
    } catch (IOException e) {
      throw new IOException("snapshot cannot be read: file=" + file + ": " + e.getMessage(), e);
    }
    setLastAppliedTermIndex(SimpleStateMachineStorage.getTermIndexFromSnapshotFile(file));
    writer.loaded(file.length());
    begun();
  }

  /** The replies to the entries of a batch; never leaves this process. */
  record Replies(List<byte[]> replies) implements Message {
    @Override
    public ByteString getContent() {
      return ByteString.EMPTY;
    }
  }

  @Override
  public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
    LogEntryProto logged = transaction.getLogEntry();
    List<byte[]> replies = new ArrayList<>();
    try {
      ByteString bytes = logged.getStateMachineLogEntry().getLogData();
      EntryBatch batch = EntryBatch.decode(bytes.asReadOnlyByteBuffer());
      for (byte[] entry : batch.entries()) {
        replies.add(machine.apply(entry, batch.timeMs()));
      }
      machine.applied();
    } catch (Error | RuntimeException e) {
      // What cannot be applied here must not be passed over: the state would not be the others'.
      broken = true;
      machine.failed(
          "an entry of the journal cannot be applied: term="
              + logged.getTerm()
              + " index="
              + logged.getIndex()
              + ": "
              + e.getMessage(),
          e);
      throw e;
    }
    updateLastAppliedTermIndex(logged.getTerm(), logged.getIndex());
    entriesSinceSnapshot += replies.size();
    logBytesSinceSnapshot += logged.getStateMachineLogEntry().getLogData().size();
    boolean due =
        entriesSinceSnapshot >= snapshotEntries
            && logBytesSinceSnapshot >= writer.lastBytes() / LEAST_PART
            && !closing;
    if (due && writer.start(getLastAppliedTermIndex())) {
      begun();
    }
    return CompletableFuture.completedFuture(new Replies(replies));
  }

  private void begun() {
    entriesSinceSnapshot = 0;
    logBytesSinceSnapshot = 0;
  }

  @Override
  public CompletableFuture<Message> query(Message request) {
    return CompletableFuture.completedFuture(Message.EMPTY);
  }

  /** Takes none: one that was completed meanwhile is the latest from here on. */
  @Override
  public long takeSnapshot() {
    SingleFileSnapshotInfo complete = writer.complete();
    return complete == null
        ? RaftLog.INVALID_LOG_INDEX
        : storage.updateLatestSnapshot(complete).getIndex();
  }

  @Override
  public StateMachineStorage getStateMachineStorage() {
    return storage;
  }

  /** Called by the thread that writes the log. */
  @Override
  public void notifyLogFailed(Throwable cause, LogEntryProto failedEntry) {
    machine.failed(
        "the journal cannot be written, so this process ends: "
            + cause
            + "; make room or mend the disk, then start it again",
        cause);
  }

  /** Called by any thread of Raft. */
  @Override
  public void notifyServerShutdown(RoleInfoProto role, boolean all) {
    if (!closing) {
      machine.failed("the journal has stopped, so this process ends; see the lines above", null);
    }
  }
}
