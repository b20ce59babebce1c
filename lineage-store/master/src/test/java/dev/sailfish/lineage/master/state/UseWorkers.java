package dev.sailfish.lineage.master.state;

import dev.sailfish.lineage.master.state.UseChecks.Block;
import dev.sailfish.lineage.master.state.UseChecks.Holder;
import dev.sailfish.lineage.protocol.wire.RegisterWorkerRequest;
import dev.sailfish.lineage.protocol.wire.RegisterWorkerResponse;
import dev.sailfish.lineage.protocol.wire.ReportBlocksRequest;
import dev.sailfish.lineage.protocol.wire.ReportBlocksResponse;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/** What passes between the workers of a schedule and the master that leads. */
final class UseWorkers {
  private static final int NO_MORE = 3; // in place of a tier

  /** What the leader has to tell workers, by number; lost with the leader. */
  private final Map<Integer, Set<Long>> unneeded = new HashMap<>();

  private final Map<Integer, Set<Long>> freed = new HashMap<>();
  private StoreState state;
  private UseChecks checks;

  /** Another master leads. */
  void follow(StoreState leader, UseChecks checked) {
    unneeded.clear();
    freed.clear();
    state = leader;
    checks = checked;
  }

  /** What a state has to tell workers comes here. */
  StoreState.Listener listener() {
    return new StoreState.Listener() {
      @Override
      public void lead() {}

      @Override
      public void follow() {}

      @Override
      public void mounted() {}

      @Override
      public void on(long fid, int worker) {
        unneeded.computeIfAbsent(worker, number -> new HashSet<>()).add(fid);
      }

      @Override
      public void free(long fid, int worker) {
        freed.computeIfAbsent(worker, number -> new HashSet<>()).add(fid);
      }
    };
  }

  /** A worker registers, or asks what has to go and tells what is gone. */
  void speak(Holder holder, long now) throws Exception {
    if (holder.number == 0 || !state.namespace().isLive(holder.number)) {
      register(holder, now);
      return;
    }
    Set<Long> gone = unneeded.getOrDefault(holder.number, Set.of());
    Set<Long> free = freed.getOrDefault(holder.number, Set.of());
    unneeded.remove(holder.number);
    freed.remove(holder.number);
    Set<Long> unknown = new TreeSet<>(gone);
    for (Block block : holder.blocks.keySet()) {
      if (!state.namespace().isKnown(block.fid())) {
        unknown.add(block.fid());
      } else if (state.namespace().isBelow(block.fid())) {
        holder.below.add(block.fid());
      }
    }
    checks.unneeded(unknown);
    holder.blocks.keySet().removeIf(block -> unknown.contains(block.fid()));
    List<Block> going =
        holder.blocks.keySet().stream().filter(block -> free.contains(block.fid())).toList();
    holder.blocks.keySet().removeAll(going);
    report(holder, going, NO_MORE, now);
  }

  private void register(Holder holder, long now) throws Exception {
    RegisterWorkerRequest asked =
        RegisterWorkerRequest.newBuilder()
            .setId(holder.id)
            .setHost("h")
            .setPort((int) holder.id)
            .build();
    byte[] reply = state.apply(StoreState.newWorker(asked), now);
    holder.number = RegisterWorkerResponse.parseFrom(reply).getNumber();
    holder.below.clear();
    report(holder, List.copyOf(holder.blocks.keySet()), 0, now);
  }

  /** A worker tells that blocks are in a tier, or gone. */
  void report(Holder holder, List<Block> blocks, int tier, long now) throws Exception {
    ReportBlocksRequest.Builder report = ReportBlocksRequest.newBuilder().setWorker(holder.number);
    for (Block block : blocks) {
      report.addFids(block.fid()).addBlocks(block.number()).addTiers(tier);
    }
    byte[] reply = state.apply(StoreState.report(report.build()), now);
    ReportBlocksResponse response = ReportBlocksResponse.parseFrom(reply);
    if (response.getUnknown()) {
      holder.number = 0;
    }
    for (int index : response.getUnneededList()) {
      checks.unneeded(Set.of(blocks.get(index).fid()));
      holder.blocks.remove(blocks.get(index));
    }
  }

  /**
   * Lets a block go whose file it takes to be below. Of one that is still being written the master
   * hears from the writer afterwards that the block is there: that is left out.
   */
  void evict(Holder holder, Random random, long now) throws Exception {
    List<Block> below =
        holder.blocks.keySet().stream()
            .filter(block -> holder.below.contains(block.fid()))
            .filter(block -> checks.isClosed(block.fid()))
            .toList();
    if (!below.isEmpty() && holder.number != 0) {
      Block block = below.get(random.nextInt(below.size()));
      holder.blocks.remove(block);
      report(holder, List.of(block), NO_MORE, now);
    }
  }
}
