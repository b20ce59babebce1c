package dev.sailfish.lineage.master;

import dev.sailfish.lineage.master.namespace.Holders;
import dev.sailfish.lineage.master.namespace.Namespace;
import dev.sailfish.lineage.master.namespace.Worker;
import dev.sailfish.lineage.protocol.wire.BlockRef;
import dev.sailfish.lineage.protocol.wire.CopyOrder;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Blocks that are being copied from one worker to another: ordered with a heartbeat of the one that
 * copies, done when the journal says that it has the block; a block that is moved is deleted by its
 * source after that. Kept by the leader alone: what is lost with it is found and ordered again, and
 * a copy too many does no harm. For the thread that holds the state.
 */
final class BlockMoves {
  private static final int MOST_AT_ONCE = 256;
  private static final int MOST_PER_WORKER = 16;
  private static final long DEADLINE_NS = 120_000_000_000L;

  /** A block by its file and number. */
  record Block(long fid, int number) {
    BlockRef message() {
      return BlockRef.newBuilder().setFid(fid).setBlock(number).build();
    }
  }

  /** A block that is to be copied, from a worker to another one, and how long it is in bytes. */
  record Wanted(Block block, Worker source, int target, long length) {}

  private static final class Move {
    private final Wanted wanted;
    private final boolean isRemoved;
    private final long endNs;
    private boolean isOrdered;

    Move(Wanted wanted, boolean isRemoved, long endNs) {
      this.wanted = wanted;
      this.isRemoved = isRemoved;
      this.endNs = endNs;
    }
  }

  private final Map<Block, Move> moves = new LinkedHashMap<>();
  private final Map<Integer, Integer> taking = new HashMap<>(); // how many each worker copies
  private long movedBytes;

  void clear() {
    moves.clear();
    taking.clear();
    movedBytes = 0;
  }

  /** Whether this block is on its way. */
  boolean isMoving(Block block) {
    return moves.containsKey(block);
  }

  /** Whether a worker may be told to copy another block. */
  boolean mayTake(int target) {
    return !isFull() && taking.getOrDefault(target, 0) < MOST_PER_WORKER;
  }

  /** Whether no worker may be told to copy another block. */
  boolean isFull() {
    return moves.size() >= MOST_AT_ONCE;
  }

  /**
   * Has a block copied.
   *
   * @param isRemoved whether its source deletes it then
   */
  void add(Wanted wanted, boolean isRemoved, long nowNs) {
    moves.put(wanted.block(), new Move(wanted, isRemoved, nowNs + DEADLINE_NS));
    taking.merge(wanted.target(), 1, Integer::sum);
  }

  /** How many are copied from a worker. */
  int from(int source) {
    return (int)
        moves.values().stream().filter(move -> move.wanted.source().number() == source).count();
  }

  /** Bytes of blocks that are on their way to a worker, or from it and to be deleted there. */
  long bytes(Predicate<Wanted> which) {
    return moves.values().stream()
        .filter(move -> move.isRemoved && which.test(move.wanted))
        .mapToLong(move -> move.wanted.length())
        .sum();
  }

  /** How many bytes were moved, with their sources' copies deleted, since this was asked last. */
  long takeMovedBytes() {
    long bytes = movedBytes;
    movedBytes = 0;
    return bytes;
  }

  /** Forgets what is done, or will not be. */
  void settle(Namespace namespace, long nowNs) {
    Holders holders = namespace.uses().holders();
    Iterator<Move> all = moves.values().iterator();
    while (all.hasNext()) {
      Move move = all.next();
      Wanted wanted = move.wanted;
      Block block = wanted.block();
      boolean isThere = holders.has(wanted.target(), block.fid(), block.number());
      boolean isLeft = holders.has(wanted.source().number(), block.fid(), block.number());
      boolean isDone = isThere && !(move.isRemoved && isLeft);
      if (isDone && move.isRemoved) {
        movedBytes += wanted.length();
      }
      boolean isPossible = isLeft && namespace.isLive(wanted.target());
      if (isDone || !isPossible || nowNs - move.endNs > 0) {
        all.remove();
        ended(wanted.target());
      }
    }
  }

  private void ended(int target) {
    taking.computeIfPresent(target, (worker, count) -> count == 1 ? null : count - 1);
  }

  /** A worker cannot copy a block. */
  void failed(int target, Block block) {
    Move move = moves.get(block);
    if (move != null && move.wanted.target() == target) {
      moves.remove(block);
      ended(target);
    }
  }

  /** What a worker is to copy; told once. */
  List<CopyOrder> orders(int target) {
    List<CopyOrder> orders = new ArrayList<>();
    for (Move move : moves.values()) {
      if (move.wanted.target() == target && !move.isOrdered) {
        move.isOrdered = true;
        orders.add(order(move.wanted));
      }
    }
    return orders;
  }

  private static CopyOrder order(Wanted wanted) {
    Worker source = wanted.source();
    return CopyOrder.newBuilder()
        .setBlock(wanted.block().message())
        .setSource(
            WorkerAddress.newBuilder()
                .setNumber(source.number())
                .setHost(source.host())
                .setPort(source.port()))
        .setLength(wanted.length())
        .build();
  }

  /** What a worker is to delete, because the one that has copied it has it now. */
  List<BlockRef> removals(int source, Holders holders) {
    List<BlockRef> removals = new ArrayList<>();
    for (Move move : moves.values()) {
      Block block = move.wanted.block();
      boolean isSource = move.isRemoved && move.wanted.source().number() == source;
      if (isSource && holders.has(move.wanted.target(), block.fid(), block.number())) {
        removals.add(block.message());
      }
    }
    return removals;
  }
}
