package dev.sailfish.lineage.master;

import dev.sailfish.lineage.master.checkpoint.Checkpoints;
import dev.sailfish.lineage.master.namespace.Namespace;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import dev.sailfish.lineage.master.namespace.Worker;
import dev.sailfish.lineage.master.state.StoreMessages;
import dev.sailfish.lineage.protocol.wire.ReportResponse;
import dev.sailfish.lineage.protocol.wire.WorkerHeartbeatRequest;
import dev.sailfish.lineage.protocol.wire.WorkerReport;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** What the leader knows of the store as a whole, and sentences on what is wrong. */
final class StoreReport {
  private static final long SILENT_MS = 5_000;
  private static final int FULL_PERCENT = 95;
  private static final long MS = 1_000_000;

  private final Namespace namespace;
  private final WorkerStates states;
  private final BlockWatch watch;
  private final long nowNs;
  private final ReportResponse.Builder report = ReportResponse.newBuilder();

  StoreReport(Namespace namespace, WorkerStates states, BlockWatch watch, long nowNs) {
    this.namespace = namespace;
    this.states = states;
    this.watch = watch;
    this.nowNs = nowNs;
  }

  ReportResponse message(Checkpoints checkpoints) {
    report
        .setCheckpoints(CheckpointRequests.report(checkpoints))
        .setNames(namespace.size())
        .setWriting(namespace.writing().size())
        .setCopies(namespace.copies())
        .setQuotas(namespace.uses().quotas().size())
        .setExpiries(namespace.uses().expiries().size())
        .setPins(namespace.uses().pins().size())
        .setSynchronous(namespace.writing().isSynchronous());
    List<Worker> workers = namespace.workers();
    if (workers.isEmpty()) {
      report.addUnhealthy("no worker lives: nothing can be written or read");
    }
    workers.forEach(this::add);
    int nondeterministic = namespace.lineage().graph().nondeterministic();
    if (nondeterministic > 0) {
      report.addUnhealthy(
          "%d lineage records are of programs that do not give the same bytes again: copy their"
                  .formatted(nondeterministic)
              + " files below, `sailfish lineage ls` says which");
    }
    checkpoints.complaints().forEach(report::addUnhealthy);
    int givenUp = namespace.lineage().graph().givenUp().size();
    if (givenUp > 0) {
      report.addUnhealthy(
          "%d lost files cannot be recomputed: `sailfish lineage ls --lost` says why"
              .formatted(givenUp));
    }
    Optional<BlockWatch.Lost> lost = watch.lost();
    lost.ifPresent(this::add);
    return report.setLooked(lost.isPresent()).build();
  }

  private void add(Worker worker) {
    String name = worker.host() + ":" + worker.port();
    WorkerReport.Builder row =
        WorkerReport.newBuilder()
            .setAddress(StoreMessages.address(worker))
            .setDraining(namespace.uses().holders().isDraining(worker.number()));
    WorkerStates.Known known = states.of(worker.number());
    if (known == null) {
      report.addUnhealthy("worker " + name + " was not heard since this master leads");
    } else {
      WorkerHeartbeatRequest said = known.said();
      row.addAllCapacityBytes(said.getCapacityBytesList())
          .addAllUsedBytes(said.getUsedBytesList())
          .setBlocks(said.getBlocks())
          .setBlocksWriting(said.getBlocksWriting())
          .setPinnedBytes(said.getPinnedBytes())
          .setUnpinnedBytes(said.getUnpinnedBytes())
          .setSilentMs((nowNs - known.heardNs()) / MS);
      judge(name, row.build());
    }
    left(worker.number(), known).ifPresent(row::setLeft);
    report.addWorkers(row);
  }

  /** What a worker that is drained has still to hand over; empty: it is not, or nobody knows. */
  private OptionalLong left(int worker, WorkerStates.Known known) {
    if (!namespace.uses().holders().isDraining(worker)) {
      return OptionalLong.empty();
    }
    BlockWatch.Drain drain = watch.drain(worker, namespace);
    if (drain.left() < 0) {
      return OptionalLong.empty();
    }
    boolean isDone = drain.isDone() && known != null && known.said().getBlocksWriting() == 0;
    return OptionalLong.of(isDone ? 0 : Math.max(1, drain.left() + drain.writing()));
  }

  private void judge(String name, WorkerReport row) {
    if (row.getSilentMs() > SILENT_MS) {
      report.addUnhealthy(
          "worker %s was not heard for %d s".formatted(name, row.getSilentMs() / 1000));
    }
    long capacity = row.getCapacityBytesList().stream().mapToLong(Long::longValue).sum();
    long used = row.getUsedBytesList().stream().mapToLong(Long::longValue).sum();
    if (capacity > 0 && used * 100.0 / capacity >= FULL_PERCENT) {
      report.addUnhealthy(
          "worker %s is full: %d of %d bytes are used; add directories, delete files, or move"
                  .formatted(name, used, capacity)
              + " blocks to others");
    }
    if (row.getUnpinnedBytes() > 0) {
      report.addUnhealthy(
          "worker %s has no room for %d bytes that are pinned, beside %d that are: they leave the"
                  .formatted(name, row.getUnpinnedBytes(), row.getPinnedBytes())
              + " memory as other blocks do; unpin some, or give it more memory");
    }
  }

  private void add(BlockWatch.Lost lost) {
    for (long fid : lost.fids()) {
      try {
        report.addUnhealthy(
            "a block of %s is with no worker that lives: start the worker that had it, or write the"
                    .formatted(namespace.path(fid))
                + " file again");
      } catch (NamespaceException e) {
        continue; // it was deleted meanwhile
      }
    }
    if (lost.files() > lost.fids().size()) {
      report.addUnhealthy("of " + lost.files() + " files a block is with no worker that lives");
    }
  }
}
