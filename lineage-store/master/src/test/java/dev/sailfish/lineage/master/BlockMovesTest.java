package dev.sailfish.lineage.master;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.lineage.master.BlockMoves.Block;
import dev.sailfish.lineage.master.BlockMoves.Wanted;
import dev.sailfish.lineage.master.namespace.Caller;
import dev.sailfish.lineage.master.namespace.Content;
import dev.sailfish.lineage.master.namespace.Creation;
import dev.sailfish.lineage.master.namespace.Namespace;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import dev.sailfish.lineage.master.namespace.Place;
import dev.sailfish.lineage.master.namespace.StorePath;
import dev.sailfish.lineage.master.namespace.Worker;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a block counts as on its way from one worker to another, and when no more. */
class BlockMovesTest {
  private static final Caller ROOT = new Caller("root", Set.of(), true);
  private static final int LENGTH = 10;

  private final Namespace namespace = Namespace.empty();
  private final BlockMoves moves = new BlockMoves();
  private Worker source;
  private Worker target;
  private Block block;

  @BeforeEach
  void begin() throws NamespaceException {
    source = namespace.addWorker(1, "host", 1);
    target = namespace.addWorker(2, "host", 2);
    Creation creation = new Creation(0644, 0755, 20, false, 7);
    long fid = namespace.writing().create(StorePath.of("/f"), creation, ROOT, 1).fid();
    namespace.writing().complete(fid, 7, Content.of(LENGTH, Place.of(source.number(), 0)), 1);
    block = new Block(fid, 0);
    moves.add(new Wanted(block, source, target.number(), LENGTH), true, 0);
  }

  private void settle() {
    moves.settle(namespace, 1);
  }

  @Test
  void itStaysOnItsWayUntilItIsThereAndItsSourceHasDeletedIt() {
    assertThat(moves.orders(target.number())).hasSize(1);
    settle();
    assertThat(moves.isMoving(block)).isTrue();
    namespace.hold(block.fid(), 0, Place.of(target.number(), 0));
    settle();
    assertThat(moves.isMoving(block)).isTrue();
    namespace.release(block.fid(), 0, source.number());
    settle();
    assertThat(moves.isMoving(block)).isFalse();
    assertThat(moves.takeMovedBytes()).isEqualTo(LENGTH);
  }

  @Test
  void itIsFreeForAnotherOneWhenTheWorkerThatTakesItIsGone() {
    namespace.removeWorker(target.number());
    settle();
    assertThat(moves.isMoving(block)).isFalse();
    assertThat(moves.takeMovedBytes()).isZero();
  }

  @Test
  void nobodyTakesItWhenItsSourceIsGone() {
    namespace.removeWorker(source.number());
    settle();
    assertThat(moves.isMoving(block)).isFalse();
  }

  @Test
  void aWorkerThatCannotCopyItLeavesItToAnotherOne() {
    moves.failed(source.number(), block);
    assertThat(moves.isMoving(block)).isTrue();
    moves.failed(target.number(), block);
    assertThat(moves.isMoving(block)).isFalse();
  }
}
