package dev.sailfish.lineage.master.namespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.lineage.master.Snapshot;
import dev.sailfish.lineage.master.dependency.Breadth;
import dev.sailfish.lineage.master.dependency.Dependency;
import dev.sailfish.lineage.master.dependency.Input;
import dev.sailfish.lineage.master.dependency.Output;
import dev.sailfish.lineage.master.dependency.OutputState;
import dev.sailfish.lineage.master.dependency.Part;
import dev.sailfish.lineage.master.dependency.Program;
import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import dev.sailfish.lineage.master.namespace.Recomputes.Outcome;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.LongStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LineageTest {
  private static final Caller ROOT = new Caller("root", Set.of(), true);
  private static final Caller ALICE = new Caller("alice", Set.of(), false);
  private static final Caller BOB = new Caller("bob", Set.of(), false);
  private static final String HASH = "c0".repeat(32);
  private static final long WRITER = 7;
  private static final int SUM = 0x1234;
  private static final int LENGTH = 1_000;
  private static final int LIMIT = 100;

  /**
   * Bytes of what version 4 of a snapshot does not have, where it is empty: given up:4
   * synchronous:1 after:8 left:4 revived:4.
   */
  private static final int VERSION_5 = 21;

  /** In a snapshot, to the characters behind the owner: id:8 flags:1 wide:1 length:2 "alice". */
  private static final int RECORD_TO_OWNER = 17;

  private static final long TEN_MINUTES_MS = 600_000;

  private Namespace namespace = Namespace.empty();
  private long now = 1;
  private int worker;

  @BeforeEach
  void prepare() throws NamespaceException {
    worker = namespace.addWorker(1, "host", 1).number();
    namespace.makeDirectories(StorePath.of("/d"), 0777, ROOT, now);
    program(ALICE);
  }

  private void program(Caller caller) throws NamespaceException {
    FileInfo info = namespace.lineage().programs().prepare(HASH, WRITER, caller, now);
    if (!info.isComplete()) {
      complete(info.fid());
    }
  }

  private void sweep() {
    namespace.at(++now);
    for (int i = 0; i < 20; i++) {
      namespace.sweep(LIMIT, (fid, holder) -> {});
    }
  }

  private void pass(long ms) {
    now += ms;
    sweep();
  }

  private long begin(String name, Caller caller) throws NamespaceException {
    Creation creation = new Creation(0600, 0755, 20, true, WRITER);
    return namespace.writing().create(StorePath.of("/d/" + name), creation, caller, now).fid();
  }

  private void complete(long fid) throws NamespaceException {
    int[] places = {Place.of(worker, 0)};
    namespace
        .writing()
        .complete(fid, WRITER, new Content(LENGTH, places, OptionalInt.of(SUM)), now);
  }

  private long file(String name) throws NamespaceException {
    long fid = begin(name, ALICE);
    complete(fid);
    return fid;
  }

  private static Dependency.Recipe recipe(Breadth type, Caller caller, long... inputs) {
    return new Dependency.Recipe(
        caller.user(),
        "",
        type,
        LongStream.of(inputs).mapToObj(Input::of).toList(),
        List.of(new Program("job.jar", HASH)),
        new byte[0]);
  }

  private long record(Caller caller, List<Long> outputs, long... inputs) throws NamespaceException {
    List<Output> asked = outputs.stream().map(fid -> Output.pending(fid, Part.of(0))).toList();
    return namespace.lineage().create(recipe(Breadth.WIDE, caller, inputs), asked, false, caller);
  }

  private OutputState state(long fid) {
    return namespace.lineage().graph().state(fid);
  }

  private static void assertRefused(Reason reason, String message, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            NamespaceException.class, e -> assertThat(e.reason()).isEqualTo(reason))
        .hasMessageContaining(message);
  }

  @Test
  void outputsAreRecordedBeforeAndAfterTheyAreComplete() throws NamespaceException {
    long input = file("in");
    long before = begin("before", ALICE);
    long after = file("after");
    long id = record(ALICE, List.of(before, after), input);
    assertThat(state(before)).isEqualTo(OutputState.PENDING);
    assertThat(state(after)).isEqualTo(OutputState.STORED);
    complete(before);
    sweep();
    Dependency dependency = namespace.lineage().graph().find(id);
    for (Output output : dependency.allOutputs()) {
      assertThat(output.state()).isEqualTo(OutputState.STORED);
      assertThat(output.length()).isEqualTo(LENGTH);
      assertThat(output.checksum()).hasValue(SUM);
    }
    assertThat(namespace.lineage().graph().consumers(input)).containsExactly(id);
  }

  @Test
  void whatIsWrongIsRefused() throws NamespaceException {
    long in = file("in");
    long out = file("out");
    long next = file("next");
    long foreign = begin("foreign", BOB);
    complete(foreign);
    record(ALICE, List.of(out), in);
    record(ALICE, List.of(next), out);
    int there = namespace.lineage().graph().size();
    assertRefused(Reason.EXISTS, "already", () -> record(ALICE, List.of(out), in));
    assertRefused(Reason.NOT_FOUND, "there is no", () -> record(ALICE, List.of(in), 99));
    assertRefused(Reason.NOT_FOUND, "there is no", () -> record(ALICE, List.of(99L), in));
    assertRefused(Reason.INVALID, "cycle", () -> record(ALICE, List.of(in), next));
    assertRefused(Reason.INVALID, "cycle", () -> record(ALICE, List.of(in), in));
    assertRefused(Reason.INVALID, "twice", () -> record(ALICE, List.of(in, in)));
    assertRefused(Reason.INVALID, "an output", () -> record(ALICE, List.of(), in));
    assertRefused(Reason.DENIED, "make foreign:", () -> record(ALICE, List.of(foreign), in));
    program(BOB);
    long mine = begin("mine", BOB);
    assertRefused(Reason.DENIED, "may not read in:", () -> record(BOB, List.of(mine), in));
    assertRefused(Reason.NOT_COMPLETE, "being written", () -> record(BOB, List.of(foreign), mine));
    assertRefused(
        Reason.INVALID,
        "narrow",
        () ->
            namespace
                .lineage()
                .create(
                    recipe(Breadth.NARROW, ALICE, in, out),
                    List.of(Output.pending(mine, Part.of(0))),
                    false,
                    ALICE));
    long directory = namespace.stat(StorePath.of("/d"), ROOT).fid();
    assertRefused(Reason.IS_A_DIRECTORY, "/d", () -> record(ROOT, List.of(directory), in));
    assertRefused(Reason.DENIED, "make d:", () -> record(BOB, List.of(directory), mine));
    assertThat(namespace.lineage().graph().size()).isEqualTo(there);
  }

  @Test
  void aProgramHasToBeThere() throws NamespaceException {
    long mine = begin("mine", BOB);
    assertRefused(Reason.NOT_FOUND, "upload it first", () -> record(BOB, List.of(mine)));
    FileInfo program = namespace.lineage().programs().prepare(HASH, WRITER, BOB, now);
    assertRefused(Reason.NOT_FOUND, "upload it first", () -> record(BOB, List.of(mine)));
    complete(program.fid());
    record(BOB, List.of(mine));
    assertThat(namespace.lineage().programs().prepare(HASH, 9, BOB, now).fid())
        .isEqualTo(program.fid());
  }

  @Test
  void aProgramThatIsLostIsBegunAnew() throws NamespaceException {
    namespace.removeWorker(worker);
    FileInfo begun = namespace.lineage().programs().prepare(HASH, WRITER, ALICE, now);
    assertThat(begun.isComplete()).isFalse();
    worker = namespace.addWorker(2, "host", 1).number();
    complete(begun.fid());
    FileInfo there = namespace.lineage().programs().prepare(HASH, 9, ALICE, now);
    assertThat(there.isComplete()).isTrue();
    assertThat(there.fid()).isEqualTo(begun.fid());
    record(ALICE, List.of(file("out")));
  }

  @Test
  void onlyTheOwnerAndTheClusterReadAProgram() throws NamespaceException {
    StorePath path = StorePath.of(Programs.path("alice", HASH));
    assertThat(namespace.open(path, ALICE).owner()).isEqualTo("alice");
    assertThat(namespace.open(path, ROOT).length()).isEqualTo(LENGTH);
    assertRefused(Reason.DENIED, "may not", () -> namespace.open(path, BOB));
    assertRefused(Reason.DENIED, "may not", () -> namespace.delete(path, false, ALICE, now));
    assertRefused(
        Reason.INVALID,
        "SHA-256",
        () -> namespace.lineage().programs().prepare("../x", WRITER, ALICE, now));
  }

  @Test
  void nobodyMakesTheDirectoriesOfProgramsBeforeTheCluster() throws NamespaceException {
    Namespace other = Namespace.empty();
    other.setMode(StorePath.of("/"), 0777, ROOT);
    other.makeDirectories(StorePath.of("/.lineage/programs/bob"), 0777, ALICE, now);
    assertRefused(
        Reason.DENIED,
        "cluster's",
        () -> other.lineage().programs().prepare(HASH, WRITER, BOB, now));
  }

  @Test
  void aProgramThatNobodyNamesGoesAfterADay() throws NamespaceException {
    StorePath path = StorePath.of(Programs.path("alice", HASH));
    long out = file("out");
    record(ALICE, List.of(out));
    pass(48L * 3_600_000);
    namespace.expire(10, now, (fid, holder) -> {});
    assertThat(namespace.stat(path, ROOT).isComplete()).isTrue();
    namespace.delete(StorePath.of("/d/out"), false, ALICE, now);
    sweep();
    assertTheProgramGoesADayLater();
  }

  private void assertTheProgramGoesADayLater() throws NamespaceException {
    StorePath path = StorePath.of(Programs.path("alice", HASH));
    assertThat(namespace.lineage().graph().size()).isZero();
    pass(23L * 3_600_000);
    namespace.expire(10, now, (fid, holder) -> {});
    assertThat(namespace.stat(path, ROOT).isComplete()).isTrue();
    pass(2L * 3_600_000);
    namespace.expire(10, now, (fid, holder) -> {});
    assertRefused(Reason.NOT_FOUND, HASH, () -> namespace.stat(path, ROOT));
  }

  private long fileBelow(String name) throws NamespaceException {
    long out = file(name);
    Below copy = new Below(false, LENGTH, 3, "v1", OptionalInt.empty(), false);
    namespace.mounted().record(out, StorePath.of("/d/" + name), copy);
    return out;
  }

  @Test
  void theProgramOfOutputsThatGoWithTheirMountGoesADayLater() throws NamespaceException {
    namespace.lineage().graph().keepFor(TEN_MINUTES_MS);
    namespace.makeDirectories(StorePath.of("/d/m"), 0777, ROOT, now);
    namespace.mount("/d/m file:///below", ROOT, now);
    long out = fileBelow("m/out");
    record(ALICE, List.of(out));
    sweep();
    assertThat(state(out)).isEqualTo(OutputState.BELOW);
    namespace.mounted().remove(StorePath.of("/d/m"), false, ROOT, now);
    sweep();
    assertTheProgramGoesADayLater();
  }

  @Test
  void theProgramOfOutputsThatStayBelowGoesADayAfterTheRecord() throws NamespaceException {
    namespace.lineage().graph().keepFor(TEN_MINUTES_MS);
    namespace.makeDirectories(StorePath.of("/d/m"), 0777, ROOT, now);
    namespace.mount("/d/m file:///below", ROOT, now);
    record(ALICE, List.of(fileBelow("m/out")));
    sweep();
    pass(TEN_MINUTES_MS - 1_000);
    assertThat(namespace.lineage().graph().size()).isOne();
    pass(2_000);
    assertTheProgramGoesADayLater();
  }

  @Test
  void aDeletedFileStaysARecordWhileADescendantNeedsIt() throws NamespaceException {
    long in = file("in");
    long middle = file("middle");
    long out = file("out");
    long first = record(ALICE, List.of(middle), in);
    record(ALICE, List.of(out), middle);
    namespace.delete(StorePath.of("/d/middle"), false, ALICE, now);
    sweep();
    assertThat(namespace.isKnown(middle)).isFalse();
    Output kept = namespace.lineage().graph().find(first).output(0);
    assertThat(kept)
        .isEqualTo(
            new Output(middle, Part.of(0), OutputState.DELETED, LENGTH, OptionalInt.of(SUM)));
    long other = file("other");
    record(ALICE, List.of(other), middle);
    namespace.delete(StorePath.of("/d/out"), false, ALICE, now);
    namespace.delete(StorePath.of("/d/other"), false, ALICE, now);
    sweep();
    assertThat(namespace.lineage().graph().size()).isZero();
  }

  @Test
  void aFileIsLostWithItsWorkerAndComesBackWithIt() throws NamespaceException {
    long out = file("out");
    record(ALICE, List.of(out));
    namespace.at(++now);
    namespace.removeWorker(worker);
    assertThat(namespace.lineage().goneMs()).hasValue(now);
    sweep();
    assertThat(state(out)).as("it has time to come back").isEqualTo(OutputState.STORED);
    namespace.lineage().lookForLost();
    sweep();
    assertThat(namespace.lineage().goneMs()).isEmpty();
    assertThat(state(out)).isEqualTo(OutputState.LOST);
    assertThat(namespace.lineage().graph().lostAfter(0)).containsExactly(out);
    worker = namespace.addWorker(1, "host", 1).number();
    assertThat(namespace.hold(out, 0, Place.of(worker, 0))).isTrue();
    sweep();
    assertThat(state(out)).isEqualTo(OutputState.STORED);
  }

  @Test
  void aWorkerThatStartsAgainLosesNothing() throws NamespaceException {
    long out = file("out");
    record(ALICE, List.of(out));
    worker = namespace.addWorker(1, "host", 1).number();
    sweep();
    namespace.hold(out, 0, Place.of(worker, 0));
    namespace.lineage().lookForLost();
    sweep();
    assertThat(state(out)).isEqualTo(OutputState.STORED);
  }

  @Test
  void aDamagedBlockIsALoss() throws NamespaceException {
    long out = file("out");
    record(ALICE, List.of(out));
    namespace.release(out, 0, worker);
    sweep();
    assertThat(state(out)).isEqualTo(OutputState.LOST);
  }

  private long lost() throws NamespaceException {
    long out = file("lost");
    record(ALICE, List.of(out));
    namespace.release(out, 0, worker);
    sweep();
    return out;
  }

  private Outcome recompute(long fid, long length, int sum) throws NamespaceException {
    int[] places = {Place.of(worker, 0)};
    Content content = new Content(length, places, OptionalInt.of(sum));
    return namespace.lineage().recomputes().complete(fid, WRITER, content);
  }

  @Test
  void aRecomputeOfTheSameBytesBringsTheFileBack() throws NamespaceException {
    long out = lost();
    Recomputes recomputes = namespace.lineage().recomputes();
    assertThat(recomputes.begin(out, WRITER, ALICE, now).fid()).isEqualTo(out);
    assertThat(state(out)).isEqualTo(OutputState.RECOMPUTING);
    assertThat(namespace.writers()).contains(WRITER);
    assertRefused(Reason.NOT_WRITING, "is not lost", () -> recomputes.begin(out, 8, ALICE, now));
    assertThat(namespace.hold(out, 0, Place.of(worker, 0))).isTrue();
    assertThat(namespace.blocks(out, 0, 10)).as("not before it is checked").isEmpty();
    assertThat(recompute(out, LENGTH, SUM)).isEqualTo(Outcome.SAME);
    sweep();
    assertThat(state(out)).isEqualTo(OutputState.STORED);
    assertThat(namespace.blocks(out, 0, 10)).hasSize(1);
    assertThat(namespace.lineage().graph().lost()).isZero();
  }

  @Test
  void otherBytesMarkTheDependency() throws NamespaceException {
    long out = lost();
    Recomputes recomputes = namespace.lineage().recomputes();
    for (int[] wrong : new int[][] {{LENGTH + 1, SUM}, {LENGTH, SUM + 1}}) {
      recomputes.begin(out, WRITER, ALICE, now);
      assertThat(recompute(out, wrong[0], wrong[1])).isEqualTo(Outcome.DIFFERENT);
      assertThat(state(out)).isEqualTo(OutputState.INTERRUPTED);
    }
    assertThat(namespace.lineage().graph().nondeterministic()).isEqualTo(1);
    namespace.hold(out, 0, Place.of(worker, 0));
    sweep();
    assertThat(state(out)).as("whatever workers say").isEqualTo(OutputState.INTERRUPTED);
    recomputes.begin(out, WRITER, ALICE, now);
    assertThat(recompute(out, LENGTH, SUM)).isEqualTo(Outcome.SAME);
  }

  @Test
  void whatAnAttemptHasLeftIsNotBelieved() throws NamespaceException, IOException {
    long out = lost();
    Recomputes recomputes = namespace.lineage().recomputes();
    int wrong = worker;
    recomputes.begin(out, WRITER, ALICE, now);
    long first = recomputes.attempt(out);
    recomputes.rewrite(out, 0, Place.of(wrong, 0), first);
    assertThat(namespace.isUnneeded(out, wrong)).isFalse();
    assertThat(recompute(out, LENGTH, SUM + 1)).isEqualTo(Outcome.DIFFERENT);
    assertThat(namespace.isUnneeded(out, wrong)).isTrue();
    worker = namespace.addWorker(2, "host", 2).number();
    recomputes.begin(out, WRITER, ALICE, now);
    long second = recomputes.attempt(out);
    int place = Place.of(worker, 0);
    assertRefused(Reason.NOT_WRITING, "attempt", () -> recomputes.rewrite(out, 0, place, first));
    recomputes.rewrite(out, 0, place, second);
    assertThat(recompute(out, LENGTH, SUM)).isEqualTo(Outcome.SAME);
    assertRefused(Reason.NOT_WRITING, "attempt", () -> recomputes.rewrite(out, 0, place, second));
    assertThat(namespace.hold(out, 0, Place.of(wrong, 1))).as("it moves").isFalse();
    namespace = Namespace.read(new ByteArrayInputStream(snapshot()));
    int again = namespace.addWorker(1, "host", 1).number();
    assertThat(namespace.hold(out, 0, Place.of(again, 0))).as("it starts again").isFalse();
    worker = namespace.addWorker(2, "host", 2).number();
    assertThat(namespace.hold(out, 0, Place.of(worker, 0))).as("this one has it").isTrue();
    assertThat(namespace.blocks(out, 0, 10)).singleElement().matches(all -> all.isWith(worker));
    assertThat(namespace.isUnneeded(out, worker)).isFalse();
  }

  @Test
  void aBlockThatCountsIsNotWrittenAgain() throws NamespaceException {
    long out = lost();
    Recomputes recomputes = namespace.lineage().recomputes();
    namespace.hold(out, 0, Place.of(worker, 0));
    recomputes.begin(out, WRITER, ALICE, now);
    long attempt = recomputes.attempt(out);
    assertRefused(
        Reason.INVALID,
        "has the block",
        () -> recomputes.rewrite(out, 0, Place.of(worker, 0), attempt));
    assertRefused(
        Reason.INVALID, "not there", () -> recomputes.rewrite(out, 0, Place.of(99, 0), attempt));
  }

  @Test
  void whoIsGoneRecomputesNothing() throws NamespaceException {
    long out = lost();
    Recomputes recomputes = namespace.lineage().recomputes();
    assertRefused(Reason.DENIED, "not of bob", () -> recomputes.begin(out, 8, BOB, now));
    assertRefused(Reason.NOT_WRITING, "begin again", () -> recompute(out, LENGTH, SUM));
    recomputes.begin(out, WRITER, ALICE, now);
    namespace.clientGone(WRITER, now);
    assertThat(state(out)).isEqualTo(OutputState.INTERRUPTED);
    assertThat(namespace.writers()).isEmpty();
    recomputes.begin(out, WRITER, ALICE, now);
    recomputes.abandon(out, WRITER);
    assertThat(state(out)).isEqualTo(OutputState.INTERRUPTED);
    recomputes.begin(out, WRITER, ALICE, now);
    namespace.delete(StorePath.of("/d/lost"), false, ALICE, now);
    sweep();
    assertThat(namespace.lineage().graph().size()).isZero();
    assertThat(namespace.writers()).isEmpty();
  }

  @Test
  void whatIsNotLostIsNotRecomputed() throws NamespaceException {
    long out = file("out");
    Recomputes recomputes = namespace.lineage().recomputes();
    assertRefused(Reason.NOT_FOUND, "not recorded", () -> recomputes.begin(out, 8, ALICE, now));
    record(ALICE, List.of(out));
    assertRefused(Reason.INVALID, "STORED", () -> recomputes.begin(out, 8, ALICE, now));
  }

  @Test
  void aFileThatTakesThePlaceIsAnotherOne() throws NamespaceException {
    long out = file("out");
    record(ALICE, List.of(out));
    long other = file("out");
    sweep();
    assertThat(other).isNotEqualTo(out);
    assertThat(namespace.lineage().graph().isOutput(other)).isFalse();
    assertThat(namespace.lineage().graph().size()).isZero();
  }

  @Test
  void aSnapshotGoesOnWhereItWas() throws NamespaceException, IOException {
    long out = lost();
    long input = file("in");
    long pending = begin("pending", ALICE);
    record(ALICE, List.of(pending), out, input);
    namespace.lineage().recomputes().begin(out, WRITER, ALICE, now);
    namespace.removeWorker(worker);
    byte[] bytes = snapshot();
    Namespace before = namespace;
    namespace = Namespace.read(new ByteArrayInputStream(bytes));
    assertThat(snapshot()).isEqualTo(bytes);
    assertThat(namespace.lineage().recomputes().isWriter(out, WRITER)).isTrue();
    for (Namespace peer : List.of(before, namespace)) {
      namespace = peer;
      namespace.lineage().lookForLost();
      sweep();
    }
    byte[] after = snapshot();
    namespace = before;
    assertThat(snapshot()).hasSameSizeAs(after);
    assertThat(state(pending)).isEqualTo(OutputState.PENDING);
  }

  /**
   * Version 4: records have no names and do not wait, outputs no numbers of files, no file is given
   * up, and no deleted one is made again.
   */
  @Test
  void aSnapshotWhoseRecordsDoNotGrowIsRead() throws NamespaceException, IOException {
    long out = file("out");
    record(ALICE, List.of(out), file("in"));
    sweep(); // so that nothing waits
    byte[] bytes = snapshot();
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    int name = text.lastIndexOf("alice") + "alice".length();
    ByteArrayOutputStream earlier = new ByteArrayOutputStream();
    earlier.write(new byte[] {'S', 'F', 'N', 'S', 0, 0, 0, 4});
    int end = (int) headBytes(bytes).getAsLong() + 36;
    earlier.write(bytes, 8, end - 8);
    int waiting = name - RECORD_TO_OWNER - 2 * Integer.BYTES;
    earlier.write(bytes, end + VERSION_5, waiting - end - VERSION_5);
    int records = waiting + Integer.BYTES;
    earlier.write(bytes, records, name - records);
    earlier.write(bytes, name + Short.BYTES, bytes.length - name - Short.BYTES - Integer.BYTES);
    namespace = Namespace.read(new ByteArrayInputStream(earlier.toByteArray()));
    assertThat(snapshot()).isEqualTo(bytes);
    assertThat(state(out)).isEqualTo(OutputState.STORED);
  }

  /** Version 3: without ids that are kept and without lineage. */
  @Test
  void aSnapshotWithoutLineageIsRead() throws NamespaceException, IOException {
    Namespace plain = Namespace.empty();
    plain.makeDirectories(StorePath.of("/kept"), 0755, ROOT, 1);
    namespace = plain;
    byte[] bytes = snapshot();
    ByteBuffer all = ByteBuffer.wrap(bytes);
    ByteArrayOutputStream earlier = new ByteArrayOutputStream();
    int kept = keptIds(all);
    int head = (int) headBytes(bytes).getAsLong();
    earlier.write(new byte[] {'S', 'F', 'N', 'S', 0, 0, 0, 3});
    earlier.write(bytes, 8, kept - 8);
    earlier.write(bytes, kept + Integer.BYTES, head - kept - Integer.BYTES);
    // gone:8 after:8 suspects:4 last:8 attempts:4 unproven:4 in the head, and last:8 candidates:4
    // records:4 at the end; between them what version 5 has.
    int end = head + 36 + VERSION_5;
    earlier.write(bytes, end, bytes.length - end - 16);
    Namespace read = Namespace.read(new ByteArrayInputStream(earlier.toByteArray()));
    assertThat(read.stat(StorePath.of("/kept"), ROOT).isDirectory()).isTrue();
    assertThat(read.lineage().graph().size()).isZero();
  }

  /** Where the number of ids is that are kept: after users, groups and files being written. */
  private static int keptIds(ByteBuffer bytes) {
    int at = 12;
    for (int names = bytes.getInt(8); names > 0; names--) {
      at += Short.BYTES + bytes.getShort(at);
    }
    return at + Integer.BYTES;
  }

  /** Where the head of lineage begins in a snapshot: with no worker gone. */
  private static OptionalLong headBytes(byte[] bytes) {
    byte[] never = {0x7f, -1, -1, -1, -1, -1, -1, -1};
    return LongStream.range(0, bytes.length - never.length)
        .filter(at -> Arrays.equals(bytes, (int) at, (int) at + 8, never, 0, 8))
        .findFirst();
  }

  private byte[] snapshot() throws IOException {
    return Snapshot.of(namespace.freeze());
  }
}
