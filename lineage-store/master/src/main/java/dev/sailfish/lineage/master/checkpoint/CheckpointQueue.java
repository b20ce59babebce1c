package dev.sailfish.lineage.master.checkpoint;

import dev.sailfish.lineage.master.checkpoint.Setbacks.Setback;
import dev.sailfish.lineage.master.namespace.Caller;
import dev.sailfish.lineage.master.namespace.FileInfo;
import dev.sailfish.lineage.master.namespace.Namespace;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import dev.sailfish.lineage.protocol.wire.CheckpointEntry;
import dev.sailfish.lineage.protocol.wire.CheckpointEntry.Stage;
import dev.sailfish.lineage.protocol.wire.ListCheckpointsResponse;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Files that wait for their checkpoint, as people are shown them. */
final class CheckpointQueue {
  private final Namespace namespace;
  private final Turns turns;
  private final HeldFiles held;
  private final Setbacks setbacks;
  private final long nowNs;

  CheckpointQueue(Namespace namespace, Turns turns, HeldFiles held, Setbacks setbacks, long nowNs) {
    this.namespace = namespace;
    this.turns = turns;
    this.held = held;
    this.setbacks = setbacks;
    this.nowNs = nowNs;
  }

  /** A page of the queue, which is shown it file by file. */
  static final class Page {
    private final CheckpointQueue queue;
    private final Caller caller;
    private final int skip;
    private final int limit;
    private final ListCheckpointsResponse.Builder response = ListCheckpointsResponse.newBuilder();
    private int seen;

    /**
     * @param skip how many files the caller has seen
     * @param limit how many it is shown, at most
     */
    Page(CheckpointQueue queue, Caller caller, int skip, int limit) {
      this.queue = queue;
      this.caller = caller;
      this.skip = skip;
      this.limit = limit;
    }

    /** Takes the next file, and says whether there is room for another one. */
    boolean take(long fid) {
      if (response.getFilesCount() == limit) {
        response.setMore(true);
        return false;
      }
      seen++;
      if (seen > skip) {
        queue.entry(fid, caller).ifPresent(response::addFiles);
      }
      return true;
    }

    ListCheckpointsResponse answer() {
      return response.setNextSkip(seen).build();
    }
  }

  /** A file, unless it is none of the caller's, below, or there no more. */
  Optional<CheckpointEntry> entry(long fid, Caller caller) {
    try {
      FileInfo info = namespace.stat(fid);
      boolean isShown =
          !info.isBelow() && (caller.isSuperuser() || caller.user().equals(info.owner()));
      return isShown ? Optional.of(entry(info)) : Optional.empty();
    } catch (NamespaceException e) {
      return Optional.empty();
    }
  }

  private CheckpointEntry entry(FileInfo info) throws NamespaceException {
    long fid = info.fid();
    Turn turn = turns.of(fid);
    CheckpointEntry.Builder entry =
        CheckpointEntry.newBuilder()
            .setFid(fid)
            .setPath(namespace.path(fid))
            .setLength(info.length())
            .setStage(stage(turn, fid));
    if (turn != null) {
      namespace.workers().stream()
          .filter(worker -> worker.number() == turn.place().worker())
          .forEach(
              worker ->
                  entry.setWorker(
                      WorkerAddress.newBuilder()
                          .setNumber(worker.number())
                          .setHost(worker.host())
                          .setPort(worker.port())));
    }
    setbacks.ofFile(fid).ifPresent(setback -> add(setback, entry));
    return entry.build();
  }

  private Stage stage(Turn turn, long fid) {
    if (turn != null) {
      return turn.isWithWorker() ? Stage.COPYING : Stage.ASSIGNED;
    }
    return held.has(fid) ? Stage.HELD : Stage.WAITING;
  }

  private void add(Setback setback, CheckpointEntry.Builder entry) {
    long leftMs = TimeUnit.NANOSECONDS.toMillis(setback.untilNs() - nowNs);
    entry
        .setFailure(setback.message())
        .setFailures(setback.failures())
        .setRetryMs(Math.max(0, leftMs));
  }
}
