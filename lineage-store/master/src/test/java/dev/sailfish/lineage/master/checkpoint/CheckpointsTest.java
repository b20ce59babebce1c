package dev.sailfish.lineage.master.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.lineage.edge.checkpoint.EdgeSettings;
import dev.sailfish.lineage.edge.checkpoint.SynchronousThreshold;
import dev.sailfish.lineage.master.namespace.Caller;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import dev.sailfish.lineage.master.namespace.StorePath;
import dev.sailfish.lineage.protocol.wire.CheckpointEntry;
import dev.sailfish.lineage.protocol.wire.CheckpointEntry.Stage;
import dev.sailfish.lineage.protocol.wire.ListCheckpointsResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CheckpointsTest {
  private static CheckpointSettings with(
      CheckpointOrdering order, boolean unrecorded, SynchronousThreshold threshold) {
    CheckpointSettings some = CheckpointWorld.SETTINGS;
    return new CheckpointSettings(
        order, some.temporary(), unrecorded, threshold, some.backoff(), some.pace());
  }

  private static CheckpointOrdering named(String name) {
    return new CheckpointOrdering(name, EdgeSettings.DEFAULT, 2);
  }

  /** All files in the order in which they are ordered, one at a time. */
  private static List<Long> all(CheckpointWorld world) throws NamespaceException {
    List<Long> order = new ArrayList<>();
    List<Long> told = world.beat();
    while (!told.isEmpty()) {
      for (long fid : told) {
        world.pass(1);
        world.copied(fid);
      }
      order.addAll(told);
      told = world.beat();
    }
    return order;
  }

  @Test
  void leavesGoBeforeWhatTheyAreMadeOf() throws NamespaceException {
    CheckpointWorld world = new CheckpointWorld(CheckpointWorld.SETTINGS);
    long first = world.made("/m/1");
    long second = world.made("/m/2", first);
    long third = world.made("/m/3", second);
    assertThat(all(world)).containsExactly(third, second, first);
    assertThat(world.checkpoints.numbers().copiedFiles()).isEqualTo(3);
    assertThat(world.checkpoints.numbers().files()).isZero();
  }

  @Test
  void whatIsReadOftenGoesFirst() throws NamespaceException {
    CheckpointWorld world = new CheckpointWorld(CheckpointWorld.SETTINGS);
    long first = world.made("/m/1");
    long second = world.made("/m/2", first);
    for (int i = 0; i < 3; i++) {
      world.checkpoints.read(first);
    }
    assertThat(all(world)).containsExactly(first, second);
  }

  @Test
  void whatWasThereBeforeItsMountIsInOrderAtOnce() throws NamespaceException {
    CheckpointWorld world = new CheckpointWorld(CheckpointWorld.SETTINGS);
    long first = world.made("/n/1");
    for (int i = 0; i < 3; i++) {
      world.checkpoints.read(first);
    }
    assertThat(world.beat()).as("nothing is mounted there").isEmpty();
    long second = world.made("/n/2", first);
    world.namespace.mount("/n file:///other", CheckpointWorld.ROOT, 1);
    assertThat(world.beat()).as("before the next tick").containsExactly(first, second);
  }

  @Test
  void otherOrdersAreWhatTheyAreCalled() throws NamespaceException {
    for (String name : List.of("creation", "latest", "interval", "none")) {
      CheckpointWorld world =
          new CheckpointWorld(with(named(name), false, SynchronousThreshold.NEVER));
      long first = world.made("/m/1");
      long second = world.made("/m/2", first);
      List<Long> expected =
          switch (name) {
            case "creation" -> List.of(first, second);
            case "latest" -> List.of(second, first);
            case "interval" -> List.of(second);
            default -> List.of();
          };
      assertThat(all(world)).as(name).isEqualTo(expected);
      world.checkpoints.ask(first);
      assertThat(all(world)).as(name).hasSize(expected.contains(first) ? 0 : 1);
    }
  }

  @Test
  void whatIsDeletedBeforeItsTurnIsNeverOrdered() throws NamespaceException {
    CheckpointWorld world = new CheckpointWorld(CheckpointWorld.SETTINGS);
    world.made("/m/gone");
    long kept = world.made("/m/kept");
    world.delete("/m/gone");
    assertThat(all(world)).containsExactly(kept);
    assertThat(world.checkpoints.numbers().sparedBytes()).isEqualTo(CheckpointWorld.LENGTH);
  }

  @Test
  void whatIsTemporaryOrUnderNoMountIsLeftAlone() throws NamespaceException {
    CheckpointWorld world = new CheckpointWorld(CheckpointWorld.SETTINGS);
    world.made("/elsewhere");
    long moved = world.made("/m/_temporary/a");
    world.made("/m/_temporary/b");
    assertThat(all(world)).isEmpty();
    assertThat(world.checkpoints.numbers().files()).isZero();
    assertThat(world.checkpoints.numbers().bytes()).isZero();
    world.namespace.rename(
        StorePath.of("/m/_temporary/a"), StorePath.of("/m/a"), false, CheckpointWorld.ROOT, 1);
    world.tick();
    assertThat(world.checkpoints.numbers().files()).isOne();
    assertThat(all(world)).containsExactly(moved);
  }

  @Test
  void nothingIsOrderedBeforeAllWorkersAreHeard() throws NamespaceException {
    CheckpointWorld world = new CheckpointWorld(CheckpointWorld.SETTINGS);
    world.leadAnew();
    world.made("/m/1");
    assertThat(world.beat(0)).isEmpty();
    assertThat(world.beat(1)).isEmpty();
    assertThat(world.beat(0)).as("the one that has it").hasSize(1);
  }

  @Test
  void aNewLeaderOrdersNothingThatAWorkerHasInHand() throws NamespaceException {
    CheckpointWorld world = new CheckpointWorld(CheckpointWorld.SETTINGS);
    long first = world.made("/m/1");
    assertThat(world.beat()).containsExactly(first);
    long second = world.made("/m/2");
    world.leadAnew();
    assertThat(world.beat()).as("one worker is not heard yet").isEmpty();
    assertThat(world.beat()).containsExactly(second);
    world.copied(first);
    world.copied(second);
    assertThat(all(world)).isEmpty();
    assertThat(world.checkpoints.numbers().copiedFiles()).isEqualTo(2);
  }

  @Test
  void aCopyCountsOnceAlsoWhenItsWorkerHasItInHandStill() throws NamespaceException {
    CheckpointWorld world = new CheckpointWorld(CheckpointWorld.SETTINGS);
    long fid = world.made("/m/1");
    world.beat();
    world.recorded(fid);
    assertThat(world.beat()).isEmpty();
    world.forget(0);
    assertThat(world.beat()).isEmpty();
    assertThat(world.checkpoints.numbers().copiedFiles()).isOne();
  }

  @Test
  void aWorkerThatIsGoneHasNothingInHand() throws NamespaceException {
    CheckpointWorld world = new CheckpointWorld(CheckpointWorld.SETTINGS);
    long fid = world.made("/m/1");
    world.namespace.hold(fid, 0, world.workers[1] << 2);
    assertThat(world.beat()).containsExactly(fid);
    world.namespace.removeWorker(world.workers[0]);
    world.tick();
    assertThat(world.beat(1)).containsExactly(fid);
  }

  @Test
  void aFileThatFailsIsTriedAgainLaterAndLater() throws NamespaceException {
    CheckpointWorld world = new CheckpointWorld(CheckpointWorld.SETTINGS);
    long fid = world.made("/m/1");
    world.beat();
    world.failed(0, fid, false);
    long other = world.made("/m/2");
    assertThat(all(world)).as("others go on").containsExactly(other);
    CheckpointEntry entry = world.checkpoints.entry(fid, CheckpointWorld.ROOT).orElseThrow();
    assertThat(entry.getStage()).isEqualTo(Stage.HELD);
    assertThat(entry.getFailures()).isOne();
    world.pass(8);
    assertThat(world.beat()).isEmpty();
    world.pass(2);
    assertThat(world.beat()).containsExactly(fid);
    world.failed(0, fid, false);
    world.pass(19);
    assertThat(world.beat()).isEmpty();
    world.pass(1);
    assertThat(all(world)).containsExactly(fid);
    assertThat(world.checkpoints.complaints()).isEmpty();
  }

  @Test
  void aMountThatFailsIsTriedWithOneFile() throws NamespaceException {
    CheckpointWorld world = new CheckpointWorld(CheckpointWorld.SETTINGS);
    world.namespace.mount("/n file:///other", CheckpointWorld.ROOT, 1);
    List<Long> files = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      files.add(world.made("/m/" + i));
    }
    assertThat(world.beat()).hasSize(4);
    for (long file : files) {
      world.failed(0, file, true);
    }
    assertThat(world.checkpoints.complaints().get(0)).contains("below /m, 1 times");
    long well = world.made("/n/1");
    assertThat(all(world)).containsExactly(well);
    world.pass(10);
    assertThat(world.beat()).containsExactly(files.get(0));
    assertThat(world.beat()).isEmpty();
    world.copied(files.get(0));
    assertThat(world.beat()).containsExactly(files.get(1), files.get(2), files.get(3));
    assertThat(world.checkpoints.complaints()).noneMatch(text -> text.contains("below /m"));
  }

  @Test
  void anOrderThatWasLostIsGivenAgain() throws NamespaceException {
    CheckpointWorld world = new CheckpointWorld(CheckpointWorld.SETTINGS);
    long fid = world.made("/m/1");
    assertThat(world.beat()).containsExactly(fid);
    world.forget(0);
    assertThat(world.beat(0)).containsExactly(fid);
    assertThat(world.beat(0)).isEmpty();
  }

  @Test
  void largeRecordsGoFirst() throws NamespaceException {
    SynchronousThreshold threshold = new SynchronousThreshold(2L * CheckpointWorld.LENGTH);
    CheckpointWorld world = new CheckpointWorld(with(CheckpointOrdering.DEFAULT, false, threshold));
    long small = world.made("/m/small");
    List<Long> large = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      large.add(world.file("/m/large-" + i, 0));
    }
    world.record(large.subList(0, 3));
    assertThat(world.beat(0)).containsExactly(large.get(0), large.get(1), large.get(2), small);
  }

  @Test
  void filesWithoutARecordComeLastInTheOrderOfTheirCreation() throws NamespaceException {
    CheckpointWorld world =
        new CheckpointWorld(with(CheckpointOrdering.DEFAULT, true, SynchronousThreshold.NEVER));
    long one = world.file("/m/b", 0);
    world.pass(1);
    long two = world.file("/m/a", 0);
    world.file("/elsewhere", 0);
    long made = world.made("/m/made");
    world.pass(10);
    assertThat(all(world)).containsExactly(made, one, two);
  }

  @Test
  void theQueueIsShownInPages() throws NamespaceException {
    CheckpointWorld world = new CheckpointWorld(CheckpointWorld.SETTINGS);
    List<String> paths = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      world.made("/m/" + i);
      paths.add("/m/" + i);
    }
    List<String> shown = new ArrayList<>();
    ListCheckpointsResponse page = world.checkpoints.page(CheckpointWorld.ROOT, 0, 2);
    while (page.getMore()) {
      assertThat(page.getFilesCount()).isEqualTo(2);
      page.getFilesList().forEach(file -> shown.add(file.getPath()));
      page = world.checkpoints.page(CheckpointWorld.ROOT, page.getNextSkip(), 2);
    }
    page.getFilesList().forEach(file -> shown.add(file.getPath()));
    assertThat(shown).isEqualTo(paths);
    Caller other = new Caller("other", Set.of(), false);
    assertThat(world.checkpoints.page(other, 0, 10).getFilesList()).isEmpty();
  }

  @Test
  void aLostFileWaitsNoMore() throws NamespaceException {
    CheckpointWorld world = new CheckpointWorld(CheckpointWorld.SETTINGS);
    long fid = world.made("/m/1");
    assertThat(world.checkpoints.numbers().files()).isOne();
    world.namespace.removeWorker(world.workers[0]);
    world.namespace.lineage().lookForLost();
    world.tick();
    assertThat(world.checkpoints.numbers().files()).isZero();
    assertThat(world.beat(1)).isEmpty();
    world.namespace.hold(fid, 0, world.workers[1] << 2);
    world.tick();
    assertThat(world.beat(1)).containsExactly(fid);
  }

  /** Two files of a chain of jobs of 10 s are there and below; the second one is given. */
  private static long chain(CheckpointWorld world) throws NamespaceException {
    long first = world.planned(List.of("/m/1")).get(0);
    world.pass(10);
    world.complete(first, 0);
    long second = next(world, "/m/2", first);
    assertThat(all(world)).containsExactly(first);
    world.pass(9);
    world.complete(second, 0);
    return second;
  }

  private static long next(CheckpointWorld world, String path, long input)
      throws NamespaceException {
    return world.planned(List.of(path), input).get(0);
  }

  @Test
  void anOldFileWaitsForTheNextOneOfItsChain() throws NamespaceException {
    CheckpointWorld world = new CheckpointWorld(CheckpointWorld.SETTINGS);
    long second = chain(world);
    long third = next(world, "/m/3", second);
    world.pass(6);
    assertThat(world.beat()).isEmpty();
    world.pass(3);
    assertThat(world.beat()).isEmpty();
    world.complete(third, 0);
    assertThat(world.beat()).containsExactly(third);
  }

  @Test
  void whatIsWaitedForInVainIsCopied() throws NamespaceException {
    CheckpointWorld world = new CheckpointWorld(CheckpointWorld.SETTINGS);
    long second = chain(world);
    next(world, "/m/3", second);
    world.pass(6);
    assertThat(world.beat()).isEmpty();
    world.pass(10);
    assertThat(world.beat()).containsExactly(second);
  }

  @Test
  void nobodyWaitsForRoomOrForACheckpointBecauseOfPatience() throws NamespaceException {
    CheckpointWorld asked = new CheckpointWorld(CheckpointWorld.SETTINGS);
    long second = chain(asked);
    next(asked, "/m/3", second);
    asked.pass(6);
    assertThat(asked.beat()).isEmpty();
    asked.checkpoints.ask(second);
    assertThat(asked.beat()).containsExactly(second);

    CheckpointWorld full = new CheckpointWorld(CheckpointWorld.SETTINGS);
    second = chain(full);
    next(full, "/m/3", second);
    full.pass(6);
    assertThat(full.beat()).isEmpty();
    full.fill(1);
    full.beat(1);
    assertThat(full.beat(0)).containsExactly(second);
  }

  @Test
  void patienceIsOffWhenItIsTurnedOffAndUnderANewLeader() throws NamespaceException {
    EdgeSettings edge = EdgeSettings.DEFAULT;
    EdgeSettings hasty = new EdgeSettings(edge.edgeShare(), edge.hotReads(), false);
    CheckpointOrdering order = new CheckpointOrdering("edge", hasty, 1);
    CheckpointWorld off = new CheckpointWorld(with(order, false, SynchronousThreshold.NEVER));
    long second = chain(off);
    next(off, "/m/3", second);
    off.pass(6);
    assertThat(off.beat()).containsExactly(second);

    CheckpointWorld anew = new CheckpointWorld(CheckpointWorld.SETTINGS);
    second = chain(anew);
    next(anew, "/m/3", second);
    anew.pass(6);
    assertThat(anew.beat()).isEmpty();
    anew.leadAnew();
    anew.beat();
    assertThat(anew.beat()).containsExactly(second);
  }

  @Test
  void whatABusyWorkerIsToCopyNextIsChosenWhenItCan() throws NamespaceException {
    CheckpointWorld world = new CheckpointWorld(CheckpointWorld.SETTINGS);
    long first = world.planned(List.of("/m/1")).get(0);
    world.complete(first, 0, CheckpointWorld.LARGE);
    assertThat(world.beat()).containsExactly(first);
    long second = next(world, "/m/2", first);
    world.complete(second, 0, CheckpointWorld.LARGE);
    assertThat(world.beat()).isEmpty();
    long third = next(world, "/m/3", second);
    world.complete(third, 0, CheckpointWorld.LARGE);
    assertThat(world.beat()).isEmpty();
    world.copied(first);
    assertThat(world.beat()).as("and not the second one").containsExactly(third);
  }

  @Test
  void theOldestFileAndTheEdgeAreMeasured() throws NamespaceException {
    CheckpointWorld world = new CheckpointWorld(CheckpointWorld.SETTINGS);
    long first = world.made("/m/1");
    world.pass(5);
    long second = world.made("/m/2");
    world.pass(5);
    assertThat(world.checkpoints.numbers().oldestMs()).isEqualTo(10_000);
    world.beat();
    world.pass(2);
    world.copied(first);
    assertThat(world.checkpoints.numbers().oldestMs()).isEqualTo(7_000);
    world.pass(2);
    world.copied(second);
    world.made("/m/3");
    world.beat();
    world.tick();
    assertThat(world.checkpoints.numbers().edgeMs()).as("since the edge before").isEqualTo(4_000);
  }
}
