package dev.sailfish.lineage.edge.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A chain of jobs of 10 s each, and what is waited for, with times in seconds. */
class PatienceTest {
  private static final long SECOND = 1_000_000_000L;

  private EdgePolicy policy = new EdgePolicy(EdgeSettings.PATIENT_LEAVES);
  private long lastFile;

  private static long[] files(long... files) {
    return files;
  }

  /** Files 1, 2 and 3 are there, at 10, 20 and 30 s; the first two are below. */
  @BeforeEach
  void aChainThatIsKnown() {
    chain(policy, 0);
    policy.checkpointed(1, 0);
    policy.checkpointed(2, 0);
    lastFile = 3;
  }

  private static void chain(EdgePolicy policy, long before) {
    for (long file = before + 1; file <= before + 3; file++) {
      long[] inputs = file == before + 1 ? files() : files(file - 1);
      policy.submitted(inputs, files(file), (file - before - 1) * 10 * SECOND);
      policy.completed(file, (file - before) * 10 * SECOND);
    }
  }

  /** The next job of the chain begins. */
  private void begins(long atS) {
    policy.submitted(files(lastFile), files(lastFile + 1), atS * SECOND);
    lastFile++;
  }

  private void isNext(long file, long atS) {
    assertThat(policy.next(atS * SECOND)).as("at %d s", atS).hasValue(file);
    assertThat(policy.askAgainNs()).isEmpty();
  }

  private void waits(long atS, long untilS) {
    assertThat(policy.next(atS * SECOND)).as("at %d s", atS).isEmpty();
    assertThat(policy.askAgainNs()).hasValue(untilS * SECOND);
  }

  @Test
  void anOldLeafWaitsForTheNextFileOfItsChain() {
    begins(30);
    isNext(3, 30);
    isNext(3, 35);
    waits(36, 46); // what was between two checkpoints is never longer than the longest job, 10 s
    waits(40, 46);
    policy.completed(4, 41 * SECOND);
    isNext(4, 41);
  }

  @Test
  void whatDoesNotComeIsNotWaitedForLongerThanTheLongestJobNorAgain() {
    begins(30);
    waits(36, 46);
    isNext(3, 46);
    isNext(3, 46);
    policy.started(3, 46 * SECOND);
    policy.completed(4, 47 * SECOND);
    begins(47);
    policy.checkpointed(3, SECOND);
    isNext(4, 54);
    policy.started(4, 54 * SECOND);
    policy.completed(5, 55 * SECOND);
    begins(55);
    policy.checkpointed(4, SECOND);
    waits(63, 73); // the last write began with a file that was 7 s old, and the longest job took 17
  }

  @Test
  void aJobIsWaitedForUntilItHasRunForTwiceItsMean() {
    policy.submitted(files(), files(50), 0);
    policy.completed(50, 30 * SECOND); // a job of 30 s elsewhere
    policy.checkpointed(50, 0);
    begins(30);
    waits(36, 50);
    isNext(3, 50);
  }

  @Test
  void whatIsNotUnderWayIsNotWaitedFor() {
    isNext(3, 39);
  }

  @Test
  void nothingIsWaitedForWithoutHistoryOrATime() {
    policy = new EdgePolicy(EdgeSettings.PATIENT_LEAVES);
    policy.submitted(files(), files(50), CheckpointPolicy.UNKNOWN_NS);
    policy.completed(50, 10 * SECOND);
    policy.submitted(files(50), files(51), 10 * SECOND);
    isNext(50, 19);
    policy.checkpointed(50, 0);
    aChainThatIsKnown();
    begins(30);
    waits(39, 49);
    assertThat(policy.next(CheckpointPolicy.UNKNOWN_NS)).hasValue(3);
    assertThat(policy.askAgainNs()).isEmpty();
  }

  @Test
  void nothingIsWaitedForWhenItIsTurnedOff() {
    policy = new EdgePolicy(EdgeSettings.LEAVES_ALONE);
    aChainThatIsKnown();
    begins(30);
    isNext(3, 39);
  }

  @Test
  void aWriterBesideOthersDoesNotWait() {
    policy.submitted(files(), files(50), 0);
    policy.completed(50, 30 * SECOND);
    begins(30);
    policy.started(50, 30 * SECOND);
    isNext(3, 39);
    policy.checkpointed(50, 9 * SECOND);
    waits(39, 50);
  }

  @Test
  void hotFilesAreWrittenMeanwhile() {
    policy = new EdgePolicy(new EdgeSettings(0.5, 0, true));
    aChainThatIsKnown();
    begins(30);
    waits(39, 49);
    policy.submitted(files(), files(50), 30 * SECOND);
    policy.completed(50, 39 * SECOND);
    policy.read(50);
    isNext(50, 39);
  }

  @Test
  void withMoreChainsTheNextFileIsToBeNearer() {
    chain(policy, 50);
    policy.checkpointed(51, 0);
    policy.checkpointed(52, 0);
    begins(30);
    isNext(3, 36);
    waits(37, 47);
  }

  @Test
  void theRestWaitsForALeafThatItWouldDelay() {
    policy = new EdgePolicy(EdgeSettings.PATIENT_LEAVES);
    aChainThatIsKnown();
    policy.lost(2);
    policy.completed(2, 30 * SECOND); // has no copy, and is no leaf
    begins(30);
    policy.started(3, 30 * SECOND);
    policy.checkpointed(3, 4 * SECOND);
    isNext(2, 34);
    waits(37, 50);
    isNext(2, 50);
    policy.completed(4, 51 * SECOND);
    isNext(4, 51);
  }

  @Test
  void aWaitOfTheRestCountsForTheLeafAfterIt() {
    policy = new EdgePolicy(EdgeSettings.PATIENT_LEAVES);
    aChainThatIsKnown();
    policy.lost(2);
    policy.completed(2, 30 * SECOND);
    begins(30);
    policy.started(3, 30 * SECOND);
    policy.checkpointed(3, 4 * SECOND);
    waits(37, 50);
    isNext(2, 50);
    policy.started(2, 50 * SECOND);
    policy.completed(4, 51 * SECOND);
    begins(51);
    policy.checkpointed(2, 12 * SECOND);
    waits(62, 70); // the longest job took 21 s, of which the rest has waited 13
  }

  @Test
  void whatIsMadeOfALeafTakesItsPlace() {
    policy.checkpointed(3, 0);
    policy.submitted(files(), files(10), 0);
    policy.completed(10, 0);
    policy.submitted(files(), files(20), 0);
    policy.completed(20, 0);
    assertThat(policy.next(0)).hasValue(10);
    policy.submitted(files(20), files(21, 22), 0);
    policy.submitted(files(), files(30), 0);
    policy.completed(30, 0);
    policy.completed(21, 0);
    policy.completed(22, 0);
    policy.submitted(files(10), files(11), 0);
    policy.completed(11, 0);
    for (long file : files(11, 21, 22, 30)) {
      assertThat(policy.next(0)).hasValue(file);
      assertThat(policy.edges()).isEqualTo(file == 30 ? 2 : 1);
      policy.started(file, 0);
      policy.checkpointed(file, 0);
    }
  }

  @Test
  void whatWasBegunOrIsReadByOthersKeepsItsPlace() {
    policy.checkpointed(3, 0);
    policy.submitted(files(), files(10, 11), 0);
    policy.completed(10, 0);
    policy.completed(11, 0);
    policy.submitted(files(), files(20), 0);
    policy.completed(20, 0);
    assertThat(policy.next(0)).hasValue(10);
    policy.started(10, 0);
    policy.submitted(files(10, 11), files(12), 0);
    policy.submitted(files(20), files(21), 0);
    policy.submitted(files(20), files(22), 0);
    policy.completed(12, 0);
    policy.completed(21, 0);
    assertThat(policy.next(0)).as("10 was begun").hasValue(11);
    policy.started(11, 0);
    assertThat(policy.next(0)).as("22 is not complete").hasValue(20);
  }

  @Test
  void whatIsOfTheEdgeDoesNotMoveToTheNextOne() {
    policy.checkpointed(3, 0);
    policy.submitted(files(20), files(21, 22), 0);
    policy.completed(21, 0);
    assertThat(policy.next(0)).hasValue(21);
    policy.completed(20, 0);
    policy.completed(22, 0);
    assertThat(policy.next(0)).hasValue(21);
    assertThat(policy.edges()).isOne();
    policy.started(21, 0);
    assertThat(policy.next(0)).hasValue(22);
    assertThat(policy.edges()).isEqualTo(2);
  }

  @Test
  void whatIsNoLeafDoesNotTakeAPlaceInTheNextEdge() {
    policy.checkpointed(3, 0);
    policy.submitted(files(), files(10), 0);
    policy.completed(10, 0);
    assertThat(policy.next(0)).hasValue(10);
    policy.completed(20, 0);
    policy.submitted(files(20), files(21, 22), 0);
    policy.completed(21, 0);
    policy.submitted(files(21), files(23), 0);
    policy.submitted(files(21), files(24), 0);
    policy.completed(23, 0);
    policy.completed(22, 0);
    policy.started(10, 0);
    for (long file : files(22, 23)) {
      assertThat(policy.next(0)).hasValue(file);
      policy.started(file, 0);
    }
    assertThat(policy.edges()).isEqualTo(2);
  }

  @Test
  void whatIsReadAgainHasItsPlaceInTheEdgeAgain() {
    policy.checkpointed(3, 0);
    policy.submitted(files(), files(10), 0);
    policy.completed(10, 0);
    policy.submitted(files(), files(20), 0);
    policy.completed(20, 0);
    assertThat(policy.next(0)).hasValue(10);
    policy.submitted(files(20), files(21), 0);
    policy.completed(21, 0);
    policy.started(10, 0);
    assertThat(policy.next(0)).hasValue(21);
    policy.submitted(files(20, 21), files(22), 0);
    assertThat(policy.next(0)).hasValue(20);
    policy.started(20, 0);
    policy.returned(20);
    assertThat(policy.next(0)).hasValue(20);
  }

  @Test
  void whatComesBackUnwrittenIsTheFirst() {
    policy.submitted(files(), files(10), 0);
    policy.completed(10, 0);
    policy.started(3, 30 * SECOND);
    policy.returned(3);
    policy.returned(3);
    isNext(3, 30);
  }
}
