package dev.sailfish.lineage.master.namespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.lineage.master.Snapshot;
import dev.sailfish.lineage.master.dependency.Breadth;
import dev.sailfish.lineage.master.dependency.Dependency;
import dev.sailfish.lineage.master.dependency.GivenUp;
import dev.sailfish.lineage.master.dependency.Output;
import dev.sailfish.lineage.master.dependency.OutputState;
import dev.sailfish.lineage.master.dependency.Part;
import dev.sailfish.lineage.master.dependency.Program;
import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Lost files that cannot be recomputed, and files that are written through in any case. */
class GiveUpTest {
  private static final Caller ROOT = new Caller("root", Set.of(), true);
  private static final Caller ALICE = new Caller("alice", Set.of(), false);
  private static final Caller BOB = new Caller("bob", Set.of(), false);
  private static final String HASH = "c0".repeat(32);
  private static final long WRITER = 7;
  private static final String CAUSE = "its input is gone";

  private Namespace namespace = Namespace.empty();
  private int worker;
  private int other;
  private long out;

  @BeforeEach
  void loseAFile() throws NamespaceException {
    worker = namespace.addWorker(1, "host", 1).number();
    other = namespace.addWorker(2, "host", 2).number();
    namespace.makeDirectories(StorePath.of("/d"), 0777, ROOT, 1);
    complete(namespace.lineage().programs().prepare(HASH, WRITER, ALICE, 1).fid());
    out = file();
    Dependency.Recipe recipe =
        new Dependency.Recipe(
            "alice",
            "",
            Breadth.WIDE,
            List.of(),
            List.of(new Program("job.jar", HASH)),
            new byte[0]);
    namespace.lineage().create(recipe, List.of(Output.pending(out, Part.of(0))), false, ALICE);
    namespace.release(out, 0, worker);
    sweep();
    assertThat(state()).isEqualTo(OutputState.LOST);
  }

  private long file() throws NamespaceException {
    Creation creation = new Creation(0600, 0755, 20, true, WRITER);
    long fid = namespace.writing().create(StorePath.of("/d/out"), creation, ALICE, 1).fid();
    complete(fid);
    return fid;
  }

  private void complete(long fid) throws NamespaceException {
    int[] places = {Place.of(worker, 0)};
    namespace.writing().complete(fid, WRITER, new Content(9, places, OptionalInt.of(5)), 1);
  }

  private void sweep() {
    for (int i = 0; i < 20; i++) {
      namespace.sweep(100, (fid, holder) -> {});
    }
  }

  private OutputState state() {
    return namespace.lineage().graph().state(out);
  }

  private String cause() {
    return namespace.lineage().graph().givenUp().cause(out);
  }

  private Recomputes recomputes() {
    return namespace.lineage().recomputes();
  }

  private static void assertRefused(Reason reason, String message, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            NamespaceException.class, e -> assertThat(e.reason()).isEqualTo(reason))
        .hasMessageContaining(message);
  }

  @Test
  void theCauseIsKeptUntilItIsTakenBack() throws NamespaceException {
    recomputes().giveUp(out, CAUSE, ALICE);
    assertThat(cause()).isEqualTo(CAUSE);
    assertThat(state()).isEqualTo(OutputState.LOST);
    recomputes().giveUp(out, "another one", ROOT);
    assertThat(cause()).isEqualTo("another one");
    recomputes().giveUp(out, "", ALICE);
    assertThat(cause()).isEmpty();
    recomputes().giveUp(out, "", ALICE);
    assertThat(namespace.lineage().graph().givenUp().size()).isZero();
  }

  @Test
  void onlyWhoRecordedALostFileGivesItUp() throws NamespaceException {
    assertRefused(Reason.DENIED, "is of alice", () -> recomputes().giveUp(out, CAUSE, BOB));
    assertRefused(Reason.NOT_FOUND, "not recorded", () -> recomputes().giveUp(99, CAUSE, ROOT));
    recomputes().begin(out, WRITER, ALICE, 1);
    recomputes().complete(out, WRITER, again(5));
    assertRefused(Reason.INVALID, "STORED", () -> recomputes().giveUp(out, CAUSE, ALICE));
  }

  private Content again(int sum) {
    return new Content(9, new int[] {Place.of(worker, 0)}, OptionalInt.of(sum));
  }

  @Test
  void aWorkerThatComesBackWithTheFileClearsIt() throws NamespaceException {
    recomputes().giveUp(out, CAUSE, ALICE);
    namespace.hold(out, 0, Place.of(other, 0));
    sweep();
    assertThat(state()).isEqualTo(OutputState.STORED);
    assertThat(cause()).isEmpty();
  }

  @Test
  void anotherRecomputeClearsIt() throws NamespaceException {
    recomputes().giveUp(out, CAUSE, ALICE);
    recomputes().begin(out, WRITER, ALICE, 1);
    assertThat(cause()).isEmpty();
    recomputes().abandon(out, WRITER);
    assertThat(cause()).isEmpty();
  }

  @Test
  void aDeletedFileIsNotGivenUp() throws NamespaceException {
    recomputes().giveUp(out, CAUSE, ALICE);
    namespace.delete(StorePath.of("/d/out"), false, ALICE, 2);
    sweep();
    assertThat(namespace.lineage().graph().givenUp().size()).isZero();
  }

  @Test
  void whatAFailedAttemptHasLeftDoesNotBringItBackAndTheFirstBytesDo() throws NamespaceException {
    recomputes().begin(out, WRITER, ALICE, 1);
    recomputes().rewrite(out, 0, Place.of(worker, 0), recomputes().attempt(out));
    recomputes().complete(out, WRITER, again(6));
    assertThat(state()).isEqualTo(OutputState.INTERRUPTED);
    recomputes().giveUp(out, CAUSE, ALICE);
    assertThat(state()).isEqualTo(OutputState.LOST);
    assertThat(namespace.hold(out, 0, Place.of(worker, 0))).as("other bytes").isFalse();
    sweep();
    assertThat(state()).isEqualTo(OutputState.LOST);
    assertThat(cause()).isEqualTo(CAUSE);
    assertThat(namespace.hold(out, 0, Place.of(other, 0))).isTrue();
    sweep();
    assertThat(state()).isEqualTo(OutputState.STORED);
    assertThat(cause()).isEmpty();
  }

  @Test
  void anAttemptThatStillWritesIsOver() throws NamespaceException {
    recomputes().begin(out, WRITER, ALICE, 1);
    recomputes().giveUp(out, CAUSE, ALICE);
    assertThat(state()).isEqualTo(OutputState.LOST);
    assertThat(namespace.writers()).doesNotContain(WRITER);
    assertRefused(
        Reason.NOT_WRITING, "begin again", () -> recomputes().complete(out, WRITER, again(5)));
  }

  @Test
  void aSnapshotHasIt() throws NamespaceException, IOException {
    recomputes().giveUp(out, CAUSE, ALICE);
    namespace.writing().setSynchronous(true, ROOT);
    byte[] bytes = Snapshot.of(namespace.freeze());
    namespace = Namespace.read(new ByteArrayInputStream(bytes));
    GivenUp read = namespace.lineage().graph().givenUp();
    assertThat(read.size()).isEqualTo(1);
    assertThat(cause()).isEqualTo(CAUSE);
    assertThat(namespace.writing().isSynchronous()).isTrue();
    assertThat(Snapshot.of(namespace.freeze())).isEqualTo(bytes);
  }

  @Test
  void onlySuperusersHaveAllFilesWrittenThrough() throws NamespaceException {
    assertRefused(
        Reason.DENIED, "superusers", () -> namespace.writing().setSynchronous(true, ALICE));
    namespace.writing().setSynchronous(true, ROOT);
    namespace.writing().setSynchronous(false, ROOT);
    assertThat(namespace.writing().isSynchronous()).isFalse();
  }
}
