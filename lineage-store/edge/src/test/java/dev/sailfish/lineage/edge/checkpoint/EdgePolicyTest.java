package dev.sailfish.lineage.edge.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class EdgePolicyTest {
  private static final long SECOND = 1_000_000_000L;

  private EdgePolicy policy = new EdgePolicy(EdgeSettings.LEAVES_ALONE);

  private static long[] files(long... files) {
    return files;
  }

  /** A job makes one file of others. */
  private void made(long file, long... inputs) {
    policy.submitted(inputs, files(file), 0);
    policy.completed(file, 0);
  }

  private void writtenNext(long expected) {
    assertThat(policy.next(0)).hasValue(expected);
    policy.started(expected, 0);
    policy.checkpointed(expected, SECOND);
  }

  private List<Long> writtenUntilNothingIsLeft() {
    List<Long> written = new ArrayList<>();
    for (OptionalLong next = policy.next(0); next.isPresent(); next = policy.next(0)) {
      writtenNext(next.getAsLong());
      written.add(next.getAsLong());
    }
    return written;
  }

  /** Figure 4 of the paper: A1 to A6 are 1 to 6, B1 to B9 are 11 to 19. */
  @Test
  void thePapersExample() {
    made(1);
    made(11);
    assertThat(policy.next(0)).hasValue(1);
    policy.started(1, 0);
    made(2, 1);
    made(3, 2);
    policy.checkpointed(1, SECOND);
    made(12, 11);
    made(13, 11);
    writtenNext(11);
    made(14, 12);
    made(15, 12);
    made(16, 13);
    writtenNext(3);
    made(4, 3);
    made(5, 4);
    made(6, 5);
    writtenNext(14);
    writtenNext(15);
    writtenNext(16);
    made(17, 14, 15);
    made(18, 16);
    made(19, 17, 18);
    writtenNext(6);
    writtenNext(19);
  }

  @Test
  void anEdgeIsAllLeavesOfOneMoment() {
    made(1);
    made(2);
    assertThat(policy.next(0)).hasValue(1);
    assertThat(policy.edges()).isEqualTo(1);
    made(3);
    made(4, 2);
    writtenNext(1);
    writtenNext(2);
    writtenNext(3);
    assertThat(policy.edges()).isEqualTo(2);
    writtenNext(4);
    assertThat(policy.next(0)).isEmpty();
  }

  @Test
  void theRestIsWrittenFromItsEndWhenThereIsNoLeaf() {
    made(1);
    for (long file = 2; file <= 6; file++) {
      made(file, file - 1);
    }
    assertThat(writtenUntilNothingIsLeft()).containsExactly(6L, 5L, 4L, 3L, 2L, 1L);
  }

  @Test
  void aNewLeafGoesBeforeTheRest() {
    made(1);
    made(2, 1);
    made(3, 2);
    writtenNext(3);
    made(4, 3);
    writtenNext(4);
    writtenNext(2);
    writtenNext(1);
  }

  @Test
  void inputsAreLeavesUntilAllOutputsOfTheirJobAreThere() {
    policy.completed(1, 0);
    policy.submitted(files(1), files(2, 3), 0);
    policy.completed(2, 0);
    assertThat(writtenUntilNothingIsLeft()).containsExactly(1L, 2L);
    policy.completed(3, 0);
    assertThat(writtenUntilNothingIsLeft()).containsExactly(3L);
  }

  @Test
  void inputsAreLeavesUntilTheirJobNamesNoFurtherOutput() {
    policy.completed(1, 0);
    policy.began(7, files(1), 0);
    policy.grew(7, 2);
    policy.completed(2, 0);
    assertThat(policy.next(0)).hasValue(1);
    made(5);
    policy.grew(7, 3);
    policy.sealed(7, 0);
    policy.grew(7, 4);
    policy.completed(3, 0);
    assertThat(writtenUntilNothingIsLeft()).as("1 was in the edge").containsExactly(1L, 2L, 5L, 3L);
    policy.deleted(2);
    policy.deleted(3);
    assertThat(policy.dependencies()).isOne();
    assertThat(policy.files()).isEqualTo(2);
  }

  @Test
  void aJobThatNamesNothingIsOverWhenItIsSealed() {
    policy.began(7, files(1), 0);
    policy.grew(8, 2);
    assertThatIllegalArgumentException().isThrownBy(() -> policy.grew(7, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> policy.began(7, files(), 0));
    policy.sealed(7, 0);
    policy.sealed(7, 0);
    assertThat(policy.dependencies()).isZero();
    assertThat(policy.files()).isZero();
  }

  @Test
  void whatWaitsIsShownInItsOrder() {
    policy = new EdgePolicy(EdgeSettings.DEFAULT);
    made(1);
    made(2, 1);
    made(3, 2);
    made(4);
    readTimes(4, 3);
    List<Long> shown = new ArrayList<>();
    policy.showWaiting(
        file -> {
          shown.add(file);
          return true;
        });
    assertThat(shown).as("2 and 1 wait for 3").containsExactly(4L, 3L);
    assertThat(policy.next(0)).hasValue(4);
    assertThat(policy.edgeFiles()).isEqualTo(2);
  }

  @Test
  void whatIsDeletedBeforeItsTurnIsNeverWritten() {
    made(1);
    made(2, 1);
    policy.deleted(2);
    policy.deleted(2);
    assertThat(writtenUntilNothingIsLeft()).as("a leaf again").containsExactly(1L);
  }

  @Test
  void aDeletedFileStandsBetweenWhatWasMadeOfItAndItsInputs() {
    made(1);
    made(2, 1);
    made(3, 2);
    policy.deleted(2);
    made(4);
    assertThat(writtenUntilNothingIsLeft()).containsExactly(3L, 4L, 1L);
    policy.deleted(3);
    policy.deleted(4);
    policy.deleted(1);
    assertThat(policy.files()).isZero();
    assertThat(policy.dependencies()).isZero();
  }

  @Test
  void aJobThatIsGivenUpLeavesNothing() {
    policy.completed(1, 0);
    policy.submitted(files(1, 8), files(2, 3), 0);
    policy.completed(2, 0);
    policy.deleted(2);
    policy.deleted(3);
    assertThat(policy.dependencies()).isZero();
    assertThat(policy.files()).isEqualTo(1);
    assertThat(policy.next(0)).hasValue(1);
  }

  @Test
  void aFailedWriteIsTriedAgainAfterTheOthers() {
    made(1);
    made(2);
    policy.started(1, 0);
    policy.failed(1, SECOND);
    assertThat(writtenUntilNothingIsLeft()).containsExactly(2L, 1L);
  }

  @Test
  void aLostFileWaitsAgainWhenItIsRecomputed() {
    made(1);
    made(2, 1);
    policy.lost(2);
    assertThat(writtenUntilNothingIsLeft()).as("what it is made of").containsExactly(1L);
    policy.completed(2, 0);
    assertThat(writtenUntilNothingIsLeft()).containsExactly(2L);
  }

  @Test
  void aWriteThatEndsAfterItsFileWasDeletedChangesNothing() {
    made(1);
    made(2, 1);
    policy.started(2, 0);
    policy.deleted(2);
    policy.checkpointed(2, SECOND);
    policy.failed(2, SECOND);
    policy.lost(2);
    policy.read(2);
    assertThat(writtenUntilNothingIsLeft()).containsExactly(1L);
  }

  @Test
  void aNewPolicyMayBeToldInAnyOrder() {
    policy.completed(3, 0);
    policy.submitted(files(2), files(3), 0);
    policy.submitted(files(1), files(2), 0);
    policy.completed(1, 0);
    policy.checkpointed(3, 0);
    policy.completed(2, 0);
    assertThat(writtenUntilNothingIsLeft()).containsExactly(2L, 1L);
  }

  @Test
  void whatIsReadMoreThanTwiceIsWrittenFirst() {
    policy = new EdgePolicy(EdgeSettings.DEFAULT);
    made(1);
    made(2, 1);
    made(3, 2);
    readTimes(1, 2);
    assertThat(policy.next(0)).as("two reads are not enough").hasValue(3);
    readTimes(2, 3);
    readTimes(1, 2);
    writtenNext(1);
    writtenNext(3);
    writtenNext(2);
  }

  private void readTimes(long file, int times) {
    for (int i = 0; i < times; i++) {
      policy.read(file);
    }
  }

  @Test
  void hotFilesCanBeTurnedOff() {
    made(1);
    made(2, 1);
    readTimes(1, 100);
    assertThat(policy.next(0)).hasValue(2);
  }

  /** Corollary 2: with c = 0.75 the edge gets three seconds of four. */
  @Test
  void theEdgeGetsItsShareOfTheTimeAndNotOfTheFiles() {
    policy = new EdgePolicy(new EdgeSettings(0.75, 0, false));
    long[] spentS = new long[2];
    for (long file = 0; file < 1200; file++) {
      boolean hot = file < 400;
      made(file);
      if (hot) {
        made(10_000 + file, file);
        policy.deleted(10_000 + file);
        policy.submitted(files(file), files(20_000 + file), 0);
        policy.completed(20_000 + file, 0);
        policy.checkpointed(20_000 + file, 0);
        policy.read(file);
      }
    }
    for (int i = 0; i < 400; i++) {
      long file = policy.next(0).orElseThrow();
      boolean hot = file < 400;
      long seconds = hot ? 2 : 1;
      spentS[hot ? 1 : 0] += seconds;
      policy.started(file, 0);
      policy.checkpointed(file, seconds * SECOND);
    }
    assertThat(spentS[0] / (double) (spentS[0] + spentS[1])).isBetween(0.74, 0.76);
  }

  @Test
  void withTheWholeTimeForTheEdgeHotFilesWaitForIt() {
    policy = new EdgePolicy(new EdgeSettings(1, 0, false));
    made(1);
    made(2, 1);
    made(3);
    readTimes(1, 1);
    assertThat(writtenUntilNothingIsLeft()).containsExactly(2L, 3L, 1L);
  }

  @Test
  void nonsenseIsRefusedAndChangesNothing() {
    policy.submitted(files(), files(1), 0);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> policy.submitted(files(5), files(6, 1), 0))
        .withMessage("file 0000000000000001 is an output of another dependency");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> policy.submitted(files(7), files(7), 0))
        .withMessage("file 0000000000000007 is input and output of one dependency");
    assertThatIllegalArgumentException().isThrownBy(() -> policy.submitted(files(7), files(), 0));
    assertThat(policy.files()).isEqualTo(1);
    assertThatIllegalStateException()
        .isThrownBy(() -> policy.started(1, 0))
        .withMessage("file 0000000000000001: WRITING cannot follow EXPECTED");
    assertThatIllegalStateException().isThrownBy(() -> policy.started(99, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> new EdgeSettings(0, 2, false));
    assertThatIllegalArgumentException().isThrownBy(() -> new EdgeSettings(1.1, 2, false));
    assertThatIllegalArgumentException().isThrownBy(() -> new EdgeSettings(1, -1, false));
  }

  @Test
  void largeDataSetsAreWrittenSynchronously() {
    assertThat(new SynchronousThreshold(10).isExceededBy(10)).isFalse();
    assertThat(new SynchronousThreshold(10).isExceededBy(11)).isTrue();
    assertThat(SynchronousThreshold.NEVER.isExceededBy(Long.MAX_VALUE)).isFalse();
    assertThatIllegalArgumentException().isThrownBy(() -> new SynchronousThreshold(-1));
  }
}
