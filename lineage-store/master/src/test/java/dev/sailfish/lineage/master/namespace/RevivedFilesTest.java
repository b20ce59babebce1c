package dev.sailfish.lineage.master.namespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.lineage.master.Snapshot;
import dev.sailfish.lineage.master.dependency.Breadth;
import dev.sailfish.lineage.master.dependency.Dependency;
import dev.sailfish.lineage.master.dependency.DependencyGraph;
import dev.sailfish.lineage.master.dependency.Input;
import dev.sailfish.lineage.master.dependency.Output;
import dev.sailfish.lineage.master.dependency.OutputState;
import dev.sailfish.lineage.master.dependency.Part;
import dev.sailfish.lineage.master.dependency.Program;
import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import dev.sailfish.lineage.master.namespace.Recomputes.Outcome;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A chain of three files, of which the first two were deleted before the last one is lost. */
class RevivedFilesTest {
  private static final Caller ROOT = new Caller("root", Set.of(), true);
  private static final Caller ALICE = new Caller("alice", Set.of(), false);
  private static final Caller BOB = new Caller("bob", Set.of(), false);
  private static final String HASH = "c0".repeat(32);
  private static final long WRITER = 7;
  private static final int LENGTH = 1_000;
  private static final int SUM = 0x1234;
  private static final int BLOCK_SIZE_LOG = 18;

  private final List<Long> chain = new ArrayList<>();
  private final List<Long> freed = new ArrayList<>();
  private Namespace namespace = Namespace.empty();
  private long now = 1;
  private int worker;

  @BeforeEach
  void makeTheChain() throws NamespaceException {
    worker = namespace.addWorker(1, "host", 1).number();
    namespace.makeDirectories(StorePath.of("/d"), 0777, ROOT, now);
    FileInfo program = namespace.lineage().programs().prepare(HASH, WRITER, ALICE, now);
    namespace.writing().complete(program.fid(), WRITER, content(SUM), now);
    for (int i = 0; i < 3; i++) {
      long fid = file("f" + i);
      record(fid, i == 0 ? List.of() : List.of(Input.of(chain.get(i - 1))));
      chain.add(fid);
    }
    delete("f0");
    delete("f1");
    sweep();
  }

  private Content content(int sum) {
    return new Content(LENGTH, new int[] {Place.of(worker, 0)}, OptionalInt.of(sum));
  }

  private long file(String name) throws NamespaceException {
    Creation creation = new Creation(0600, 0755, BLOCK_SIZE_LOG, true, WRITER);
    FileInfo info = namespace.writing().create(StorePath.of("/d/" + name), creation, ALICE, now);
    namespace.writing().complete(info.fid(), WRITER, content(SUM), now);
    return info.fid();
  }

  private void record(long fid, List<Input> inputs) throws NamespaceException {
    Dependency.Recipe recipe =
        new Dependency.Recipe(
            "alice", "", Breadth.WIDE, inputs, List.of(new Program("job.jar", HASH)), new byte[0]);
    namespace.lineage().create(recipe, List.of(Output.pending(fid, Part.of(0))), false, ALICE);
  }

  private void delete(String name) throws NamespaceException {
    namespace.delete(StorePath.of("/d/" + name), false, ALICE, now);
  }

  /** As with one entry of the journal; as often as there is more. */
  private void sweep() {
    namespace.at(++now);
    boolean more = true;
    while (more) {
      more = namespace.sweep(100, (fid, holder) -> freed.add(fid));
    }
  }

  private void loseAll() throws NamespaceException {
    namespace.removeWorker(worker);
    worker = namespace.addWorker(2, "host", 2).number();
    namespace.lineage().lookForLost();
    sweep();
  }

  private Recomputes recomputes() {
    return namespace.lineage().recomputes();
  }

  private FileInfo begin(int at) throws NamespaceException {
    FileInfo info = recomputes().begin(chain.get(at), WRITER, ALICE, now);
    assertThat(info.fid()).isEqualTo(chain.get(at));
    return info;
  }

  private Outcome complete(int at, int sum) throws NamespaceException {
    long fid = chain.get(at);
    recomputes().rewrite(fid, 0, Place.of(worker, 0), recomputes().attempt(fid));
    Outcome outcome = recomputes().complete(fid, WRITER, content(sum));
    sweep();
    return outcome;
  }

  private void remake(int at) throws NamespaceException {
    begin(at);
    assertThat(complete(at, SUM)).isEqualTo(Outcome.SAME);
  }

  private OutputState state(int at) {
    return namespace.lineage().graph().state(chain.get(at));
  }

  private static StorePath hidden(long fid) throws NamespaceException {
    return StorePath.of(RevivedFiles.path(fid));
  }

  private static void assertRefused(Reason reason, String message, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            NamespaceException.class, e -> assertThat(e.reason()).isEqualTo(reason))
        .hasMessageContaining(message);
  }

  @Test
  void allComesBack() throws NamespaceException {
    loseAll();
    int before = namespace.size();
    assertThat(namespace.lineage().graph().lostAfter(0)).containsExactly(chain.get(2));
    FileInfo info = begin(0);
    assertThat(info.blockSize()).isEqualTo(1 << BLOCK_SIZE_LOG);
    assertThat(state(0)).isEqualTo(OutputState.REVIVING);
    assertThat(namespace.stat(chain.get(0)).isComplete()).isFalse();
    assertThat(complete(0, SUM)).isEqualTo(Outcome.SAME);
    assertThat(state(0)).isEqualTo(OutputState.REVIVED);
    assertThat(namespace.path(chain.get(0))).isEqualTo(RevivedFiles.path(chain.get(0)));
    assertThat(namespace.blocks(chain.get(0), 0, 10)).hasSize(1);
    assertThat(namespace.stat(chain.get(0)).length()).isEqualTo(LENGTH);
    remake(1);
    assertThat(state(0)).as("the second one is there").isEqualTo(OutputState.DELETED);
    assertThat(freed).endsWith(chain.get(0));
    assertThat(state(1)).isEqualTo(OutputState.REVIVED);
    remake(2);
    assertThat(state(2)).isEqualTo(OutputState.STORED);
    assertThat(state(1)).isEqualTo(OutputState.DELETED);
    assertThat(namespace.isKnown(chain.get(1))).isFalse();
    assertThat(namespace.lineage().graph().size()).as("as before").isEqualTo(3);
    assertThat(namespace.size()).as("with the directory").isEqualTo(before + 1);
    loseAll();
    remake(0);
    remake(1);
    remake(2);
    assertThat(state(2)).as("once more").isEqualTo(OutputState.STORED);
  }

  @Test
  void whatNothingNeedsIsNotMadeAgain() throws NamespaceException {
    assertRefused(Reason.INVALID, "nothing that is lost is made of it", () -> begin(0));
    loseAll();
    assertRefused(Reason.DENIED, "not of bob", () -> recomputes().begin(chain.get(0), 8, BOB, now));
    begin(0);
    assertRefused(
        Reason.NOT_WRITING, "REVIVING", () -> recomputes().begin(chain.get(0), 8, ALICE, now));
    complete(0, SUM);
    assertRefused(Reason.INVALID, "REVIVED", () -> begin(0));
    remake(1);
    assertRefused(Reason.INVALID, "nothing that is lost", () -> begin(0));
  }

  @Test
  void onlyItsOwnerSeesIt() throws NamespaceException {
    namespace.uses().quotas().set(StorePath.of("/d"), 4, 4 * LENGTH, ROOT);
    loseAll();
    remake(0);
    StorePath path = hidden(chain.get(0));
    StorePath directory = StorePath.of(RevivedFiles.DIRECTORY);
    assertThat(namespace.open(path, ALICE).owner()).isEqualTo("alice");
    assertThat(namespace.stat(path, ALICE).mode()).isEqualTo(0400);
    assertRefused(Reason.DENIED, "may not", () -> namespace.open(path, BOB));
    assertRefused(Reason.DENIED, "may not", () -> namespace.list(directory, "", 10, BOB));
    assertRefused(Reason.DENIED, "may not", () -> namespace.list(directory, "", 10, ALICE));
    assertRefused(Reason.DENIED, "may not", () -> namespace.delete(path, false, ALICE, now));
    assertThat(namespace.list(directory, "", 10, ROOT)).hasSize(1);
    Quota quota = namespace.uses().quotas().of(StorePath.of("/d"), ROOT).orElseThrow();
    assertThat(quota.used())
        .as("the directory, and the lost file")
        .isEqualTo(new Usage(1, 1, LENGTH));
  }

  @Test
  void aSuperuserMayDeleteIt() throws NamespaceException {
    loseAll();
    remake(0);
    namespace.delete(hidden(chain.get(0)), false, ROOT, now);
    sweep();
    assertThat(state(0)).isEqualTo(OutputState.DELETED);
    remake(0);
    assertThat(state(0)).isEqualTo(OutputState.REVIVED);
    begin(1);
    namespace.delete(StorePath.of("/.lineage/deleted"), true, ROOT, now);
    sweep();
    assertThat(state(1)).isEqualTo(OutputState.DELETED);
    assertThat(recomputes().isWriter(chain.get(1), WRITER)).isFalse();
  }

  @Test
  void oneThatIsLostAgainIsMadeAgain() throws NamespaceException {
    loseAll();
    remake(0);
    int earlier = worker;
    worker = namespace.addWorker(3, "host", 3).number();
    namespace.removeWorker(earlier);
    namespace.lineage().lookForLost();
    sweep();
    assertThat(state(0)).isEqualTo(OutputState.REVIVING);
    assertThat(namespace.lineage().graph().lostAfter(0)).as("2 only").containsExactly(chain.get(2));
    remake(0);
    assertThat(state(0)).isEqualTo(OutputState.REVIVED);
  }

  @Test
  void itGoesWhenTheLostFileComesBackOrGoes() throws NamespaceException {
    loseAll();
    remake(0);
    begin(1);
    int back = namespace.addWorker(1, "host", 1).number();
    namespace.hold(chain.get(2), 0, Place.of(back, 0));
    sweep();
    assertThat(state(2)).isEqualTo(OutputState.STORED);
    assertThat(state(0)).isEqualTo(OutputState.DELETED);
    assertThat(state(1)).isEqualTo(OutputState.DELETED);
    assertRefused(Reason.NOT_FOUND, "there is no", () -> complete(1, SUM));
    namespace.removeWorker(back);
    loseAll();
    remake(0);
    delete("f2");
    sweep();
    assertThat(namespace.lineage().graph().size()).isZero();
    assertThat(namespace.isKnown(chain.get(0))).isFalse();
    assertThat(namespace.list(StorePath.of(RevivedFiles.DIRECTORY), "", 10, ROOT)).isEmpty();
  }

  @Test
  void otherBytesAndClientsThatAreGoneLeaveItToOthers() throws NamespaceException {
    loseAll();
    begin(0);
    assertThat(complete(0, SUM + 1)).isEqualTo(Outcome.DIFFERENT);
    assertThat(state(0)).isEqualTo(OutputState.REVIVING);
    assertThat(namespace.lineage().graph().nondeterministic()).isEqualTo(1);
    assertThat(namespace.hold(chain.get(0), 0, Place.of(worker, 0))).as("of no use").isFalse();
    begin(0);
    assertThat(namespace.hold(chain.get(0), 0, Place.of(worker, 0))).as("not yet").isTrue();
    namespace.clientGone(WRITER, now);
    assertThat(state(0)).isEqualTo(OutputState.REVIVING);
    remake(0);
    assertThat(state(0)).isEqualTo(OutputState.REVIVED);
  }

  @Test
  void whatAnAttemptHasLeftIsNotBelievedInALaterLife() throws NamespaceException {
    loseAll();
    int wrong = worker;
    begin(0);
    complete(0, SUM + 1);
    worker = namespace.addWorker(3, "host", 3).number();
    remake(0);
    remake(1);
    assertThat(state(0)).isEqualTo(OutputState.DELETED);
    namespace.release(chain.get(1), 0, worker);
    sweep();
    assertThat(state(1)).isEqualTo(OutputState.REVIVING);
    remake(0);
    assertThat(namespace.hold(chain.get(0), 0, Place.of(wrong, 0))).isFalse();
    assertThat(namespace.blocks(chain.get(0), 0, 1))
        .singleElement()
        .matches(all -> all.isWith(worker));
  }

  @Test
  void aSnapshotGoesOnWhereItWas() throws NamespaceException, IOException {
    loseAll();
    remake(0);
    begin(1);
    long other = file("other");
    byte[] bytes = Snapshot.of(namespace.freeze());
    Namespace before = namespace;
    Namespace after = Namespace.read(new ByteArrayInputStream(bytes));
    assertThat(Snapshot.of(after.freeze())).isEqualTo(bytes);
    for (Namespace peer : List.of(before, after)) {
      namespace = peer;
      assertThat(complete(1, SUM)).isEqualTo(Outcome.SAME);
      remake(2);
      assertThat(state(0)).isEqualTo(OutputState.DELETED);
      assertThat(state(1)).isEqualTo(OutputState.DELETED);
      assertThat(namespace.stat(other).name()).isEqualTo("other");
    }
    assertThat(after.size()).isEqualTo(before.size());
  }

  @Test
  void aPlaceThatIsTakenIsNamed() throws NamespaceException {
    loseAll();
    namespace.makeDirectories(hidden(chain.get(0)), 0755, ROOT, now);
    assertRefused(Reason.DENIED, "cluster's", () -> begin(0));
    namespace.setOwner(StorePath.of(RevivedFiles.DIRECTORY), Namespace.ROOT_OWNER, "", ROOT);
    assertRefused(Reason.EXISTS, "another file", () -> begin(0));
    assertThat(state(0)).isEqualTo(OutputState.DELETED);
  }

  @Test
  void whatIsDeletedRightAfterItsEndIsKnown() throws NamespaceException {
    Creation creation = new Creation(0600, 0755, BLOCK_SIZE_LOG, true, WRITER);
    long fid = namespace.writing().create(StorePath.of("/d/g0"), creation, ALICE, now).fid();
    record(fid, List.of());
    long never = namespace.writing().create(StorePath.of("/d/g1"), creation, ALICE, now).fid();
    record(never, List.of());
    record(file("g2"), List.of(Input.of(fid), Input.of(never)));
    namespace.writing().complete(fid, WRITER, content(SUM), now);
    delete("g0");
    delete("g1");
    loseAll();
    assertThat(namespace.lineage().graph().output(fid).length()).isEqualTo(LENGTH);
    recomputes().begin(fid, WRITER, ALICE, now);
    assertRefused(
        Reason.INVALID, "no checksum", () -> recomputes().begin(never, WRITER, ALICE, now));
  }

  /** As in a snapshot of version 4. */
  @Test
  void aBlockSizeThatIsNotKnownIsARefusal() throws NamespaceException {
    DependencyGraph graph = namespace.lineage().graph();
    long fid = file("f3");
    record(fid, List.of());
    long last = file("f4");
    record(last, List.of(Input.of(fid)));
    graph.move(fid, OutputState.DELETED);
    delete("f3");
    loseAll();
    assertRefused(Reason.INVALID, "block sizes", () -> recomputes().begin(fid, WRITER, ALICE, now));
  }
}
