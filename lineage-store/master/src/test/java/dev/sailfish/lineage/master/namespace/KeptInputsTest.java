package dev.sailfish.lineage.master.namespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.lineage.master.Snapshot;
import dev.sailfish.lineage.master.dependency.Breadth;
import dev.sailfish.lineage.master.dependency.Dependency;
import dev.sailfish.lineage.master.dependency.Input;
import dev.sailfish.lineage.master.dependency.Output;
import dev.sailfish.lineage.master.dependency.Part;
import dev.sailfish.lineage.master.dependency.Program;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A file that no record makes, and something that is made of it. */
class KeptInputsTest {
  private static final Caller ROOT = new Caller("root", Set.of(), true);
  private static final Caller ALICE = new Caller("alice", Set.of(), false);
  private static final Caller BOB = new Caller("bob", Set.of(), false);
  private static final String HASH = "c0".repeat(32);
  private static final long WRITER = 7;
  private static final int LENGTH = 1_000;
  private static final int BLOCK_SIZE_LOG = 18;
  private static final long MINUTES = 60_000;

  private final List<Long> freed = new ArrayList<>();
  private Namespace namespace = Namespace.empty();
  private long now = 1_000;
  private int worker;
  private long source;
  private long made;

  @BeforeEach
  void makeBoth() throws NamespaceException {
    worker = namespace.addWorker(1, "host", 1).number();
    namespace.makeDirectories(StorePath.of("/d"), 0777, ROOT, now);
    for (Caller user : List.of(ALICE, BOB)) {
      FileInfo program = namespace.lineage().programs().prepare(HASH, WRITER, user, now);
      namespace.writing().complete(program.fid(), WRITER, content(), now);
    }
    source = file("source", ALICE);
    made = file("made", ALICE);
    record(made, ALICE, source);
  }

  private Content content() {
    return new Content(LENGTH, new int[] {Place.of(worker, 0)}, OptionalInt.of(0x1234));
  }

  private long file(String name, Caller user) throws NamespaceException {
    Creation creation = new Creation(0644, 0755, BLOCK_SIZE_LOG, true, WRITER);
    FileInfo info = namespace.writing().create(StorePath.of("/d/" + name), creation, user, now);
    namespace.writing().complete(info.fid(), WRITER, content(), now);
    return info.fid();
  }

  private void record(long output, Caller user, long input) throws NamespaceException {
    Dependency.Recipe recipe =
        new Dependency.Recipe(
            user.user(),
            "",
            Breadth.WIDE,
            List.of(Input.of(input)),
            List.of(new Program("job.jar", HASH)),
            new byte[0]);
    namespace.lineage().create(recipe, List.of(Output.pending(output, Part.of(0))), false, user);
  }

  private void delete(String name) throws NamespaceException {
    namespace.delete(StorePath.of("/d/" + name), false, ROOT, now);
    sweep();
  }

  /** As with one entry of the journal; as often as there is more. */
  private void sweep() {
    namespace.at(now);
    boolean more = true;
    while (more) {
      more = namespace.sweep(100, (fid, holder) -> freed.add(fid));
    }
  }

  private FileInfo hidden(Caller caller) throws NamespaceException {
    return namespace.open(StorePath.of(RevivedFiles.path(source)), caller);
  }

  private void assertGone() {
    assertThat(freed).contains(source);
    assertThat(namespace.isKnown(source)).isFalse();
  }

  @Test
  void isKeptWithItsBlocksForWhoHasRecorded() throws NamespaceException {
    delete("source");
    assertThat(freed).isEmpty();
    FileInfo info = hidden(ALICE);
    assertThat(info.fid()).isEqualTo(source);
    assertThat(info.length()).isEqualTo(LENGTH);
    assertThat(info.owner()).isEqualTo("alice");
    assertThat(namespace.blocks(source, 0, 10)).hasSize(1);
    assertThat(namespace.path(source)).isEqualTo(RevivedFiles.path(source));
    assertThatThrownBy(() -> hidden(BOB)).isInstanceOf(NamespaceException.class);
  }

  @Test
  void aPinGoesOnceAndOtherPinsStay() throws NamespaceException {
    Pins pins = namespace.uses().pins();
    int others = pins.size();
    StorePath pinned = StorePath.of("/d/pinned");
    namespace.makeDirectories(pinned, 0777, ROOT, now);
    pins.set(pinned, true, ROOT);
    pins.set(StorePath.of("/d/source"), true, ALICE);
    delete("source");
    assertThat(hidden(ALICE).fid()).isEqualTo(source);
    assertThat(pins.isPinned(source)).isFalse();
    assertThat(pins.size()).isEqualTo(others + 1);
    delete("made");
    sweep();
    assertGone();
    assertThat(pins.size()).isEqualTo(others + 1);
    assertThat(pins.isPinned(file("pinned/new", ALICE))).isTrue();
  }

  @Test
  void anotherUserMayReadWhatHeHasRecorded() throws NamespaceException {
    delete("made");
    record(file("other", BOB), BOB, source);
    delete("source");
    assertThat(hidden(BOB).owner()).isEqualTo("bob");
  }

  @Test
  void goesWithTheLastThatIsMadeOfIt() throws NamespaceException {
    long other = file("other", ALICE);
    record(other, ALICE, source);
    delete("source");
    delete("made");
    assertThat(freed).containsExactly(made);
    delete("other");
    sweep();
    assertGone();
  }

  @Test
  void goesWhenWhatIsMadeOfItIsBelow() throws NamespaceException {
    namespace.lineage().graph().keepFor(10 * MINUTES);
    namespace.mount("/d file:///below", ROOT, now);
    delete("source");
    StorePath path = StorePath.of("/d/made");
    namespace
        .mounted()
        .record(made, path, new Below(false, LENGTH, 1, "", OptionalInt.empty(), false));
    sweep();
    assertThat(freed).isEmpty();
    now += 11 * MINUTES;
    sweep();
    sweep();
    assertGone();
    assertThat(freed).containsExactly(source);
  }

  @Test
  void whatWasBelowIsInMemoryOnly() throws NamespaceException {
    namespace.mount("/d file:///below", ROOT, now);
    StorePath path = StorePath.of("/d/source");
    namespace
        .mounted()
        .record(source, path, new Below(false, LENGTH, 1, "", OptionalInt.empty(), false));
    assertThat(namespace.isBelow(source)).isTrue();
    delete("source");
    assertThat(namespace.isBelow(source)).isFalse();
    assertThat(hidden(ALICE).fid()).isEqualTo(source);
  }

  @Test
  void aDeletedTreeLeavesWhatIsNeeded() throws NamespaceException {
    namespace.makeDirectories(StorePath.of("/d/in"), 0777, ROOT, now);
    namespace.rename(StorePath.of("/d/source"), StorePath.of("/d/in/s"), false, ROOT, now);
    long idle = file("in/idle", ALICE);
    namespace.delete(StorePath.of("/d/in"), true, ROOT, now);
    sweep();
    assertThat(freed).containsExactly(idle);
    assertThat(hidden(ALICE).fid()).isEqualTo(source);
  }

  @Test
  void whatIsNotWholeIsNotKept() throws NamespaceException {
    namespace.removeWorker(worker);
    worker = namespace.addWorker(2, "host", 2).number();
    delete("source");
    assertThat(namespace.isKnown(source)).isFalse();
  }

  @Test
  void aSuperuserDeletesItForGood() throws NamespaceException {
    delete("source");
    namespace.delete(StorePath.of(RevivedFiles.path(source)), false, ROOT, now);
    sweep();
    assertGone();
  }

  @Test
  void isThereAfterARestart() throws NamespaceException, IOException {
    delete("source");
    namespace = Namespace.read(new ByteArrayInputStream(Snapshot.of(namespace.freeze())));
    assertThat(hidden(ALICE).fid()).isEqualTo(source);
    delete("made");
    sweep();
    assertGone();
  }

  @Test
  void countsInNoQuotaOfItsUser() throws NamespaceException {
    StorePath directory = StorePath.of("/d");
    namespace.uses().quotas().set(directory, 10, 2 * LENGTH, ROOT);
    delete("source");
    assertThat(namespace.uses().quotas().of(directory, ROOT).orElseThrow().used())
        .isEqualTo(new Usage(1, 1, LENGTH));
  }

  @Test
  void allAreFoundBitByBit() throws NamespaceException {
    List<Long> all = new ArrayList<>(List.of(source));
    for (int i = 0; i < 4; i++) {
      all.add(file("source" + i, ALICE));
      record(file("made" + i, ALICE), ALICE, all.get(all.size() - 1));
      delete("source" + i);
    }
    delete("source");
    List<Long> found = new ArrayList<>();
    String next = "";
    do {
      next = namespace.keptInputs().scan(next, 2, found::add);
    } while (!next.isEmpty());
    assertThat(found).containsExactlyInAnyOrderElementsOf(all);
  }
}
