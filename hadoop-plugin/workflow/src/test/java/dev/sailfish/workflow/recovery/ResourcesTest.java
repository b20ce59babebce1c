package dev.sailfish.workflow.recovery;

import static dev.sailfish.lineage.edge.recompute.RecoveryModel.PROACTIVE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.workflow.share.Scheduling;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Priorities, shares, and containers that are taken from tasks that wait. */
class ResourcesTest {
  private static final String READER = "application_9_1";
  private static final String STEP = "application_1_1";

  private final World world = new World().record(10, List.of(), 1L).record(20, List.of(1L), 2L);
  private Recovery recovery;

  private void rounds(int count) throws IOException {
    if (recovery == null) {
      recovery = new Recovery(World.settings(PROACTIVE, 4), world, world, world);
    }
    for (int i = 0; i < count; i++) {
      world.nowNs += World.SECOND_NS;
      recovery.round(world.nowNs);
    }
  }

  @Test
  void aStepInheritsThePriorityOfWhoWaitsAlsoLater() throws IOException {
    world.lose(1L, 2L);
    rounds(1);
    assertThat(world.running(10).request.priority()).isZero();
    world.application(READER, "q", 4, 2);
    world.wants(READER, 2L);
    rounds(2);
    assertThat(world.priorities).containsEntry(STEP, 4);
    world.wantsNoMore();
    rounds(33);
    assertThat(world.priorities).containsEntry(STEP, 0);
  }

  /** Priority and containers of an application are for files that its own user reads. */
  @Test
  void whoNamesAnApplicationOfAnotherUserIsAReaderOfNone() throws IOException {
    world.application(READER, "q", 4, 6);
    world.wantsAs("mallory", READER, 2L);
    world.lose(1L, 2L);
    world.containers.put(STEP, 0);
    rounds(12);
    assertThat(world.running(10).request.priority()).isZero();
    assertThat(world.priorities).isEmpty();
    assertThat(world.taken).isEmpty();
    assertThat(world.reports).as("somebody waits all the same").containsKey(10L);
    world.wants(READER, 1L);
    rounds(2);
    assertThat(world.priorities).containsEntry(STEP, 5);
  }

  @Test
  void withSharesTheQueueIsThatOfAnApplicationWhoseOwnUserWaits() throws IOException {
    world.scheduling = new Scheduling(Scheduling.Kind.SHARES, 0);
    world.application(READER, "q1", 0, 10);
    world.application("application_9_2", "q2", 0, 20);
    world.wantsAs("mallory", READER, 1L);
    world.lose(1L);
    rounds(1);
    assertThat(world.running(10).request.queue()).isEmpty();
    world.wants("application_9_2", 2L);
    world.lose(2L);
    rounds(1);
    world.wants(READER, 2L);
    world.write(world.running(10));
    rounds(2);
    assertThat(world.running(20).request.queue()).as("it has waited longest").isEqualTo("q2");
  }

  @Test
  void noPriorityIsAboveTheHighest() throws IOException {
    world.scheduling = new Scheduling(Scheduling.Kind.PRIORITIES, 3);
    world.application(READER, "q", 4, 2);
    world.wants(READER, 1L);
    world.lose(1L);
    rounds(1);
    assertThat(world.running(10).request.priority()).isEqualTo(3);
  }

  @Test
  void aHungryStepIsPutBeforeWhoWaitsAndGivenItsContainers() throws IOException {
    world.lose(1L);
    world.application(READER, "default", 4, 6);
    world.wants(READER, 1L);
    world.containers.put(STEP, 0);
    rounds(6);
    assertThat(world.taken).isEmpty();
    assertThat(world.priorities).isEmpty();
    rounds(1);
    assertThat(world.priorities).containsEntry(STEP, 5);
    assertThat(world.taken).containsExactly("[application_9_1] 2");
    rounds(4);
    assertThat(world.taken).as("it is given time to get them").hasSize(1);
    world.containers.put(STEP, 1);
    rounds(1);
    assertThat(world.taken).containsExactly("[application_9_1] 2", "[application_9_1] 1");
    world.containers.put(STEP, 3);
    rounds(10);
    assertThat(world.taken).hasSize(2);
    assertThat(world.priorities).containsEntry(STEP, 4);
    assertThat(recovery.status().taken()).isEqualTo(3);
  }

  @Test
  void nothingIsTakenWhereThereIsRoomOrNobodyWaits() throws IOException {
    world.lose(1L);
    world.containers.put(STEP, 0);
    world.application(READER, "default", 4, 6);
    rounds(10);
    world.full = false;
    world.wants(READER, 1L);
    rounds(10);
    assertThat(world.taken).isEmpty();
    assertThat(recovery.status().obstacle()).isEmpty();
  }

  @Test
  void aStepIsFedWhenItsQueueIsFullThoughNodesHaveRoom() throws IOException {
    world.full = false;
    world.fullQueues.add("default");
    world.lose(1L);
    world.application(READER, "default", 4, 6);
    world.wants(READER, 1L);
    world.containers.put(STEP, 0);
    rounds(7);
    assertThat(world.taken).containsExactly("[application_9_1] 2");
  }

  @Test
  void whatAFullQueueWouldNotGetIsNotTaken() throws IOException {
    world.fullQueues.add("default");
    world.lose(1L);
    world.application(READER, "other", 4, 6);
    world.wants(READER, 1L);
    world.containers.put(STEP, 0);
    rounds(10);
    assertThat(world.taken).isEmpty();
    assertThat(recovery.status().obstacle()).isEmpty();
    world.fullQueues.clear();
    rounds(2);
    assertThat(world.taken).hasSize(1);
  }

  @Test
  void withoutPrioritiesItIsSaidWhatIsInTheWay() throws IOException {
    world.scheduling = new Scheduling(Scheduling.Kind.PRIORITIES, 0);
    world.lose(1L);
    world.application(READER, "default", 0, 6);
    world.wants(READER, 1L);
    world.containers.put(STEP, 0);
    rounds(10);
    assertThat(world.taken).isEmpty();
    assertThat(recovery.status().obstacle())
        .contains(STEP, READER, "yarn.cluster.max-application-priority", "sailfish.workflow.queue");
    world.application(READER, "other", 0, 6);
    rounds(1);
    assertThat(world.taken).as("another queue gets what is free").hasSize(1);
    assertThat(recovery.status().obstacle()).isEmpty();
  }

  @Test
  void withSharesAStepRunsInTheQueueOfWhoHasWaitedLongestWithItsPart() throws IOException {
    world.scheduling = new Scheduling(Scheduling.Kind.SHARES, 0);
    world.application("application_9_2", "q2", 0, 20);
    world.application(READER, "q1", 0, 10);
    world.wants("application_9_2", 2L);
    world.lose(1L, 2L);
    world.yarnAnswers = true;
    rounds(1);
    assertThat(world.running(10).request.queue()).isEqualTo("q2");
    assertThat(world.running(10).request.tasks()).as("1 + 20 %% of 20").isEqualTo(5);
    assertThat(world.running(10).request.priority()).isZero();
    world.wants(READER, 2L);
    world.write(world.running(10));
    rounds(1);
    assertThat(world.running(20).request.queue()).isEqualTo("q2");
    assertThat(world.running(20).request.tasks()).as("1 + 20 %% of 30").isEqualTo(7);
  }
}
