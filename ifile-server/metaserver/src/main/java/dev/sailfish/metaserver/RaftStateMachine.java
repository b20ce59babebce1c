package dev.sailfish.metaserver;

import dev.sailfish.metaserver.wire.JournalEntry;
import dev.sailfish.metaserver.wire.JournalReply;
import dev.sailfish.transport.ErrorGuard;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.statemachine.impl.SimpleStateMachineStorage;
import org.apache.ratis.statemachine.impl.SingleFileSnapshotInfo;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.apache.ratis.util.AtomicFileOutputStream;
import org.apache.ratis.util.LifeCycle;
import org.apache.ratis.util.MD5FileUtil;

/**
 * What Raft sees of the core: entries as bytes, and a snapshot as one file with its checksum beside
 * it. Raft calls it from one thread, but for what says otherwise.
 */
final class RaftStateMachine extends BaseStateMachine {
  private final Journal.Machine machine;
  private final SimpleStateMachineStorage storage = new SimpleStateMachineStorage();
  private volatile boolean closing;

  RaftStateMachine(Journal.Machine machine) {
    this.machine = machine;
  }

  /** From here on an end is no failure. */
  void closing() {
    closing = true;
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
    MD5Hash checksum = snapshot.getFile().getFileDigest();
    if (checksum != null) {
      MD5FileUtil.verifySavedMD5(file, checksum);
    }
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file.toPath()))) {
      machine.load(in);
    } catch (Error e) {
      ErrorGuard.check(e);
      throw e;
    } catch (IOException e) {
      throw new IOException("snapshot cannot be read: file=" + file + ": " + e.getMessage(), e);
    }
    setLastAppliedTermIndex(SimpleStateMachineStorage.getTermIndexFromSnapshotFile(file));
  }

  @Override
  public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
    LogEntryProto logged = transaction.getLogEntry();
    JournalReply reply;
    try {
      reply =
          machine.apply(
              JournalEntry.parseFrom(logged.getStateMachineLogEntry().getLogData().toByteArray()));
    } catch (Error e) {
      ErrorGuard.check(e);
      throw e;
    } catch (IOException | RuntimeException e) {
      // What cannot be applied here must not be passed over: the state would not be the others'.
      machine.failed(
          "an entry of the journal cannot be applied: term="
              + logged.getTerm()
              + " index="
              + logged.getIndex()
              + ": "
              + e.getMessage(),
          e);
      throw new IllegalStateException(e);
    }
    updateLastAppliedTermIndex(logged.getTerm(), logged.getIndex());
    return CompletableFuture.completedFuture(
        Message.valueOf(UnsafeByteOperations.unsafeWrap(reply.toByteArray())));
  }

  @Override
  public CompletableFuture<Message> query(Message request) {
    return CompletableFuture.completedFuture(Message.EMPTY);
  }

  @Override
  public long takeSnapshot() throws IOException {
    TermIndex last = getLastAppliedTermIndex();
    File file = storage.getSnapshotFile(last.getTerm(), last.getIndex());
    try {
      write(file);
      MD5Hash checksum = MD5FileUtil.computeAndSaveMd5ForFile(file);
      storage.updateLatestSnapshot(
          new SingleFileSnapshotInfo(new FileInfo(file.toPath(), checksum), last));
      return last.getIndex();
    } catch (Error e) {
      ErrorGuard.check(e);
      throw e;
    } catch (IOException | RuntimeException e) {
      machine.failed("a snapshot cannot be written: file=" + file + ": " + e, e);
      return RaftLog.INVALID_LOG_INDEX;
    }
  }

  /** Writes the file as a whole, or not at all. */
  private void write(File file) throws IOException {
    File unfinished = new File(file.getPath() + ".new");
    AtomicFileOutputStream whole = new AtomicFileOutputStream(file, unfinished);
    boolean complete = false;
    try {
      // It has jobs' keys in it.
      Files.setPosixFilePermissions(
          unfinished.toPath(), PosixFilePermissions.fromString("rw-------"));
      OutputStream out = new BufferedOutputStream(whole);
      machine.save(out);
      out.flush();
      complete = true;
    } finally {
      if (complete) {
        whole.close();
      } else {
        whole.abort();
      }
    }
  }

  @Override
  public StateMachineStorage getStateMachineStorage() {
    return storage;
  }

  /** Called by the thread that writes the log. */
  @Override
  public void notifyLogFailed(Throwable cause, LogEntryProto failedEntry) {
    machine.failed(
        "the journal cannot be written, so this metaserver ends: "
            + cause
            + "; make room or mend the disk, then start it again",
        cause);
  }

  /** Called by any thread of Raft. */
  @Override
  public void notifyServerShutdown(RoleInfoProto role, boolean all) {
    if (!closing) {
      machine.failed("the journal has stopped, so this metaserver ends; see the lines above", null);
    }
  }
}
