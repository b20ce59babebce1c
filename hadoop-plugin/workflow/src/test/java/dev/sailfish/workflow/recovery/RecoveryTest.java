package dev.sailfish.workflow.recovery;

import static dev.sailfish.lineage.edge.recompute.RecoveryModel.PROACTIVE;
import static dev.sailfish.lineage.edge.recompute.RecoveryModel.REACTIVE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.sailfish.lineage.edge.recompute.RecoveryModel;
import dev.sailfish.workflow.recovery.World.Application;
import dev.sailfish.workflow.share.ApplicationLook;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the manager does, round by round; a second passes between two rounds. */
class RecoveryTest {
  private final World world =
      new World()
          .record(10, List.of(100L), 1L, 2L)
          .record(20, List.of(1L, 2L), 3L)
          .record(30, List.of(3L), 4L);
  private Recovery recovery = recovery(PROACTIVE);

  private Recovery recovery(RecoveryModel model, String... temporary) {
    return new Recovery(World.settings(model, 2, temporary), world, world, world);
  }

  private void rounds(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      world.nowNs += World.SECOND_NS;
      recovery.round(world.nowNs);
    }
  }

  private List<Long> running() {
    return world.running().stream().map(Application::dependency).toList();
  }

  private List<Long> outputs(long dependency) {
    return world.running(dependency).request.outputs().stream().map(one -> one.getFid()).toList();
  }

  @Test
  void doesNothingWhileNothingIsLost() throws IOException {
    rounds(3);
    assertThat(world.applications).isEmpty();
    assertThat(recovery.status()).isEqualTo(RecoveryStatus.NONE);
  }

  @Test
  void aLostFileIsMadeAgainAndItsApplicationEndsByItself() throws IOException {
    world.lose(2L);
    rounds(1);
    assertThat(running()).containsExactly(10L);
    assertThat(outputs(10)).containsExactly(2L);
    assertThat(world.running(10).request.tags())
        .containsExactlyInAnyOrder("sailfish-recompute-10", "sailfish-workflow-test");
    assertThat(recovery.status().running()).isEqualTo(1);
    world.write(world.running(10));
    rounds(10);
    assertThat(running()).as("done as the master says, and let end").containsExactly(10L);
    assertThat(recovery.status().running()).isZero();
    assertThat(recovery.status().succeeded()).isEqualTo(1);
    world.succeed(world.running(10));
    rounds(2);
    assertThat(world.applications).hasSize(1);
    assertThat(world.look(10)).as("forgotten").isEmpty();
  }

  @Test
  void anApplicationThatDoesNotEndIsEnded() throws IOException {
    world.lose(2L);
    rounds(1);
    Application application = world.running(10);
    world.write(application);
    rounds(65);
    assertThat(application.killed).isTrue();
    assertThat(recovery.status().failed()).isZero();
  }

  @Test
  void whatFilesAreMadeOfIsMadeFirst() throws IOException {
    world.lose(1L, 2L, 3L, 4L);
    world.wants("", 4L);
    rounds(1);
    assertThat(running()).containsExactly(10L);
    assertThat(outputs(10)).containsExactly(1L, 2L);
    assertThat(world.reports.get(30L)).isEqualTo("waits for 1 others to be recomputed first");
    assertThat(world.reports.get(10L)).isEqualTo("is about to begin");
    rounds(1);
    assertThat(world.reports.get(10L)).isEqualTo("application_1_1: 0 %");
    world.write(world.running(10));
    world.succeed(world.running(10));
    rounds(1);
    assertThat(running()).containsExactly(20L);
    world.write(world.running(20));
    world.succeed(world.running(20));
    rounds(1);
    assertThat(running()).containsExactly(30L);
  }

  @Test
  void theOutputOfAMapNeedsTheInputOfTheMapAlone() throws IOException {
    world.mapsOnly(40, List.of(1L, 2L), 5L, 6L);
    world.delete(2L);
    world.lose(5L);
    rounds(1);
    assertThat(running()).containsExactly(40L);
    world.write(world.running(40));
    world.succeed(world.running(40));
    world.lose(6L);
    rounds(1);
    assertThat(running()).containsExactly(10L);
    assertThat(outputs(10)).containsExactly(2L);
  }

  @Test
  void aDeletedFileIsMadeAgainForWhatIsMadeOfIt() throws IOException {
    world.delete(3L);
    rounds(1);
    assertThat(running()).as("nobody needs it").isEmpty();
    world.lose(4L);
    rounds(1);
    assertThat(running()).containsExactly(20L);
  }

  @Test
  void whatIsMadeOfADeletedFileThatCannotBeMadeAgainIsGivenUp() throws IOException {
    world.startsFail = true;
    world.delete(2L);
    world.delete(3L);
    world.lose(4L);
    rounds(3);
    assertThat(world.givenUp)
        .containsOnly(
            Map.entry(
                4L,
                "it is made of deleted files: record 10 was run again, and has not made it (failed"
                    + " attempts: 1): a program is not there any more"));
    rounds(20);
    assertThat(recovery.status().waiting()).isZero();
  }

  @Test
  void reactiveRecoveryWaitsForSomebodyWhoAsks() throws IOException {
    recovery = recovery(REACTIVE);
    world.lose(2L, 4L);
    rounds(3);
    assertThat(running()).isEmpty();
    world.wants("", 2L);
    rounds(1);
    assertThat(running()).containsExactly(10L);
    world.wantsNoMore();
    rounds(29);
    assertThat(running())
        .as("a master that begins to lead does not know who waits")
        .containsExactly(10L);
    rounds(3);
    assertThat(running()).isEmpty();
  }

  @Test
  void temporaryFilesWaitForSomebodyWhoAsks() throws IOException {
    recovery = recovery(PROACTIVE, "/tmp");
    world.paths.put(2L, "/tmp/a");
    world.lose(2L, 4L);
    rounds(1);
    assertThat(running()).containsExactly(30L);
    world.wants("application_9_1", 2L);
    rounds(1);
    assertThat(running()).containsExactlyInAnyOrder(10L, 30L);
  }

  @Test
  void aStepThatFailsIsTriedAgainLaterAndThenItsFilesAreGivenUp() throws IOException {
    world.lose(2L);
    world.wants("", 2L);
    rounds(1);
    world.fail(world.running(10), "no room");
    rounds(1);
    assertThat(running()).isEmpty();
    assertThat(world.reports.get(10L))
        .isEqualTo("waits for its next attempt; attempt 1 of 3 has failed: no room");
    rounds(1);
    assertThat(running()).containsExactly(10L);
    world.fail(world.running(10), "no room");
    rounds(3);
    world.fail(world.running(10), "no room at all");
    rounds(1);
    assertThat(world.givenUp.get(2L))
        .isEqualTo(
            "record 10 was run again, and has not made it (failed attempts: 3): no room at all");
    rounds(60);
    assertThat(world.applications).hasSize(3);
    assertThat(recovery.status().failed()).isEqualTo(3);
    assertThat(recovery.status().givenUp()).isEqualTo(1);
    world.givenUp.clear();
    rounds(1);
    assertThat(running()).as("it was taken back").containsExactly(10L);
  }

  @Test
  void whatWouldFailEachTimeIsGivenUpAtOnce() throws IOException {
    world.startsFail = true;
    world.lose(2L);
    rounds(2);
    assertThat(world.givenUp.get(2L)).contains("a program is not there any more");
    rounds(20);
    assertThat(world.applications).hasSize(1);
  }

  @Test
  void anApplicationThatEndsWellWithoutItsFilesHasFailed() throws IOException {
    world.lose(2L);
    rounds(1);
    world.succeed(world.running(10));
    rounds(1);
    assertThat(recovery.status().failed()).isEqualTo(1);
    assertThat(recovery.status().steps().get(0).progress())
        .contains("application_1_1 ended well and did not write all files");
  }

  @Test
  void aFileIsGivenUpForWhatItIsMadeOfAndTriedAgainWhenThatIsBack() throws IOException {
    world.lose(100L, 1L, 3L);
    rounds(5);
    assertThat(world.givenUp).as("a worker may come back").isEmpty();
    rounds(10);
    assertThat(world.givenUp).containsOnlyKeys(1L, 3L);
    assertThat(world.givenUp.get(3L))
        .isEqualTo(
            "file 0000000000000003 is LOST: file 0000000000000064 is not available and has no"
                + " lineage");
    world.givenUp.remove(3L);
    rounds(2);
    assertThat(world.givenUp).as("it was taken back, and nothing is other").containsKey(3L);
    world.comesBack(100L);
    rounds(30);
    assertThat(world.givenUp).isEmpty();
    assertThat(running()).containsExactly(10L);
  }

  @Test
  void whatIsMadeOfAFileThatWasGivenUpIsGivenUpWithItsCause() throws IOException {
    world.lose(3L, 4L);
    world.givenUp.put(3L, "its program is gone");
    rounds(13);
    assertThat(world.givenUp.get(4L)).endsWith("that one was given up: its program is gone");
    world.givenUp.remove(3L);
    rounds(1);
    assertThat(running()).containsExactly(20L);
    assertThat(world.givenUp).isEmpty();
  }

  @Test
  void theLossOfInputsIsNoFailure() throws IOException {
    world.lose(3L);
    rounds(1);
    world.lose(1L);
    world.fail(world.running(20), "cannot read file 1");
    rounds(1);
    assertThat(running()).containsExactly(10L);
    assertThat(recovery.status().failed()).isZero();
    world.write(world.running(10));
    rounds(1);
    assertThat(running()).contains(20L);
  }

  @Test
  void whatNobodyNeedsAnyMoreIsEnded() throws IOException {
    world.lose(2L);
    rounds(1);
    Application application = world.running(10);
    world.delete(2L);
    rounds(1);
    assertThat(application.killed).isTrue();
    rounds(2);
    assertThat(recovery.status()).extracting(RecoveryStatus::failed).isEqualTo(0L);
    world.lose(2L);
    rounds(2);
    assertThat(running()).containsExactly(10L);
  }

  @Test
  void soManyRunAtOnceAsAreAllowed() throws IOException {
    for (long id = 40; id < 45; id++) {
      world.record(id, List.of(), 1000 + id);
      world.lose(1000 + id);
    }
    world.application("application_9_1", "q", 5, 4);
    world.wants("application_9_1", 1043L);
    rounds(1);
    assertThat(running()).as("what is waited for first").containsExactly(43L, 40L);
    world.write(world.running(43));
    rounds(1);
    assertThat(running()).containsExactly(43L, 40L, 41L);
  }

  @Test
  void whatRunsIsAdoptedByTheNextManager() throws IOException {
    world.lose(2L, 4L);
    rounds(1);
    assertThat(running()).containsExactlyInAnyOrder(10L, 30L);
    world.managerEnds();
    world.comesBack(4L);
    recovery = recovery(PROACTIVE);
    rounds(2);
    assertThat(world.applications).as("none is begun twice").hasSize(2);
    assertThat(recovery.status().running()).isEqualTo(1);
    Application adopted = world.running(10);
    world.lose(1L);
    rounds(1);
    world.write(adopted);
    world.succeed(adopted);
    rounds(2);
    assertThat(recovery.status().failed()).as("it had less to make").isZero();
    assertThat(outputs(10)).containsExactly(1L);
    assertThat(world.running(30)).isNotNull();
    rounds(35);
    assertThat(world.running(30)).as("nobody needs it").isNull();
  }

  @Test
  void anApplicationOfSomebodyElseIsNotAdopted() throws IOException {
    world.pretenders.put(10L, new ApplicationLook("application_6_66", "mallory", "", 0, 1, 1));
    world.lose(2L);
    rounds(2);
    assertThat(running()).containsExactly(10L);
    assertThat(world.applications).hasSize(1);
  }

  @Test
  void aManagerThatClosesLeavesWhatRuns() throws IOException {
    world.lose(2L);
    rounds(1);
    recovery.close();
    assertThat(running()).containsExactly(10L);
    assertThat(world.look(10)).isEmpty();
  }

  @Test
  void aRoundThatFailsIsMadeGoodByTheNextOne() throws IOException {
    world.lose(2L);
    world.yarnAnswers = false;
    assertThatIOException().isThrownBy(() -> rounds(1));
    world.yarnAnswers = true;
    world.storeAnswers = false;
    assertThatIOException().isThrownBy(() -> rounds(1));
    world.storeAnswers = true;
    rounds(1);
    assertThat(running()).containsExactly(10L);
  }
}
