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
import dev.sailfish.lineage.master.namespace.KeptCopies.Copy;
import dev.sailfish.lineage.master.table.Fid;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A chain of files, each with a record, of which the first two are below: words, what is sorted of
 * them, and what is found in that.
 */
class KeptCopiesTest {
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
  private long words;
  private long sorted;
  private long found;

  @BeforeEach
  void makeChain() throws NamespaceException {
    namespace.lineage().graph().keepFor(10 * MINUTES);
    worker = namespace.addWorker(1, "host", 1).number();
    namespace.makeDirectories(StorePath.of("/m/in"), 0777, ROOT, now);
    namespace.makeDirectories(StorePath.of("/memory"), 0777, ROOT, now);
    namespace.mount("/m file:///below", ROOT, now);
    FileInfo program = namespace.lineage().programs().prepare(HASH, WRITER, ALICE, now);
    namespace.writing().complete(program.fid(), WRITER, content(), now);
    words = file("/m/in/words");
    sorted = file("/m/in/sorted");
    found = file("/memory/found");
    record(words, Input.outside("file:///text", LENGTH, 1));
    record(sorted, Input.of(words));
    record(found, Input.of(sorted));
    copy("/m/in/words", words);
    copy("/m/in/sorted", sorted);
    sweep();
  }

  private Content content() {
    return new Content(LENGTH, new int[] {Place.of(worker, 0)}, OptionalInt.of(0x1234));
  }

  private long file(String path) throws NamespaceException {
    Creation creation = new Creation(0644, 0755, BLOCK_SIZE_LOG, true, WRITER);
    FileInfo info = namespace.writing().create(StorePath.of(path), creation, ALICE, now);
    namespace.writing().complete(info.fid(), WRITER, content(), now);
    return info.fid();
  }

  private void record(long output, Input input) throws NamespaceException {
    Dependency.Recipe recipe =
        new Dependency.Recipe(
            "alice",
            "",
            Breadth.WIDE,
            List.of(input),
            List.of(new Program("job.jar", HASH)),
            new byte[0]);
    List<Output> outputs = List.of(Output.pending(output, Part.of(0)));
    namespace.lineage().create(recipe, outputs, false, ALICE);
  }

  private static Below below(long modifiedMs) {
    return new Below(false, LENGTH, modifiedMs, "", OptionalInt.empty(), false);
  }

  private void copy(String path, long fid) throws NamespaceException {
    namespace.mounted().record(fid, StorePath.of(path), below(0xabc));
  }

  private void sweep() {
    namespace.at(now);
    boolean more = true;
    while (more) {
      more = namespace.sweep(100, (fid, holder) -> freed.add(fid));
    }
  }

  private List<Copy> needed(String path) throws NamespaceException {
    return namespace.keptCopies().needed(StorePath.of(path));
  }

  private List<Long> neededFids(String path) throws NamespaceException {
    return needed(path).stream().map(Copy::fid).toList();
  }

  private static String place(long fid) {
    return "/m/.sailfish-kept/" + Fid.text(fid) + "-abc";
  }

  /** As the leader does it, and the change that follows. */
  private void delete(String path) throws NamespaceException {
    for (Copy copy : needed(path)) {
      namespace.keptCopies().keep(copy.fid(), below(0xdef), now);
    }
    if (namespace.mounted().sighting(StorePath.of(path), null).fid() != 0) {
      namespace.delete(StorePath.of(path), true, ROOT, now);
    }
    sweep();
  }

  private List<Long> spare() throws NamespaceException {
    return namespace.keptCopies().spare(10).stream().map(Copy::fid).toList();
  }

  @Test
  void whatIsMadeOfWhatStaysIsNotKept() throws NamespaceException {
    assertThat(needed("/m/in/sorted")).isEmpty();
    assertThat(needed("/m/in/words")).as("sorted is below").isEmpty();
    delete("/m/in/sorted");
    assertThat(freed).contains(sorted);
    assertThat(needed("/m/in/words")).as("it is made of what is outside").isEmpty();
  }

  @Test
  void theOneOfWhichADeletedOneIsMadeIsKept() throws NamespaceException {
    long plain = file("/m/in/plain");
    long first = file("/m/in/first");
    record(first, Input.of(plain));
    record(file("/memory/second"), Input.of(first));
    copy("/m/in/plain", plain);
    copy("/m/in/first", first);
    sweep();
    assertThat(needed("/m/in/plain")).isEmpty();
    delete("/m/in/first");
    assertThat(freed).containsExactly(first);
    assertThat(neededFids("/m/in/plain")).containsExactly(plain);
    delete("/m/in/plain");
    assertThat(namespace.path(plain)).isEqualTo(place(plain));
  }

  /** Its record is kept no more when what was made of it is below. */
  @Test
  void whatCannotBeMadeAgainIsKeptBelow() throws NamespaceException {
    delete("/m/in/words");
    assertThat(freed).containsExactly(words);
    delete("/m/in/sorted");
    assertThat(freed).containsExactly(words);
    assertThat(namespace.path(sorted)).isEqualTo(place(sorted));
    assertThat(namespace.isBelow(sorted)).isTrue();
    assertThat(namespace.mountedFile(sorted).below().modifiedMs()).isEqualTo(0xdef);
    assertThat(namespace.mountedFile(sorted).under().path().text())
        .isEqualTo(place(sorted).substring("/m/".length()));
    assertThat(namespace.lineage().graph().state(sorted)).isEqualTo(OutputState.BELOW);
  }

  @Test
  void bothAreKeptOfATreeThatGoesAtOnce() throws NamespaceException {
    assertThat(neededFids("/m/in")).containsExactly(sorted);
    delete("/m/in");
    assertThat(freed).containsExactly(words);
    assertThat(namespace.path(sorted)).isEqualTo(place(sorted));
    assertThatThrownBy(() -> namespace.stat(StorePath.of("/m/in"), ROOT))
        .isInstanceOf(NamespaceException.class);
  }

  @Test
  void isReadByWhoHasRecordedAndByNobodyElse() throws NamespaceException {
    delete("/m/in");
    FileInfo info = namespace.open(StorePath.of(place(sorted)), ALICE);
    assertThat(info.fid()).isEqualTo(sorted);
    assertThat(info.owner()).isEqualTo("alice");
    assertThatThrownBy(() -> namespace.open(StorePath.of(place(sorted)), BOB))
        .isInstanceOf(NamespaceException.class);
    FileInfo directory = namespace.stat(StorePath.of("/m/.sailfish-kept"), ROOT);
    assertThat(directory.owner()).isEqualTo(Namespace.ROOT_OWNER);
    assertThat(directory.mode()).isEqualTo(0711);
  }

  @Test
  void isSpareWhenWhatIsMadeOfItIsSafe() throws NamespaceException {
    delete("/m/in");
    assertThat(spare()).isEmpty();
    namespace.mount("/memory file:///other", ROOT, now);
    copy("/memory/found", found);
    sweep();
    assertThat(spare()).containsExactly(sorted);
    delete(place(sorted));
    assertThat(freed).contains(sorted);
    assertThat(spare()).isEmpty();
  }

  @Test
  void isSpareWhenWhatIsMadeOfItIsDeleted() throws NamespaceException {
    delete("/m/in");
    delete("/memory/found");
    assertThat(spare()).containsExactly(sorted);
  }

  @Test
  void aSuperuserDeletesItForGood() throws NamespaceException {
    delete("/m/in");
    assertThat(needed("/m/.sailfish-kept")).isEmpty();
    delete(place(sorted));
    assertThat(freed).contains(sorted);
  }

  /** A look below may have found the copy first. */
  @Test
  void takesThePlaceOfWhatWasSeenThere() throws NamespaceException {
    for (String path : List.of("/m/.sailfish-kept", place(sorted))) {
      StorePath at = StorePath.of(path);
      Below there = path.equals(place(sorted)) ? below(0xdef) : Below.DIRECTORY;
      Sighting before = namespace.mounted().sighting(at, null);
      Sighting.Found seen = new Sighting.Found(there, "daemon", "daemon", 01777, BLOCK_SIZE_LOG);
      namespace.mounted().take(new Sighting(at, before.fid(), before.known(), seen), now);
    }
    delete("/m/in");
    assertThat(namespace.stat(StorePath.of(place(sorted)), ROOT).fid()).isEqualTo(sorted);
    assertThat(namespace.stat(StorePath.of("/m/.sailfish-kept"), ROOT).mode()).isEqualTo(0711);
  }

  @Test
  void isThereAfterARestart() throws NamespaceException, IOException {
    delete("/m/in");
    namespace = Namespace.read(new ByteArrayInputStream(Snapshot.of(namespace.freeze())));
    assertThat(namespace.path(sorted)).isEqualTo(place(sorted));
    delete("/memory/found");
    assertThat(spare()).containsExactly(sorted);
  }

  @Test
  void aRepetitionChangesNothing() throws NamespaceException {
    delete("/m/in");
    namespace.keptCopies().keep(sorted, below(0x123), now);
    assertThat(namespace.mountedFile(sorted).below().modifiedMs()).isEqualTo(0xdef);
    namespace.keptCopies().keep(words, below(0x123), now);
    assertThat(namespace.isKnown(words)).isFalse();
  }

  @Test
  void nothingIsKeptWhereNothingIsMountedOrMade() throws NamespaceException {
    assertThat(needed("/memory/found")).isEmpty();
    assertThat(needed("/m/none")).isEmpty();
    file("/m/in/idle");
    copy("/m/in/idle", namespace.stat(StorePath.of("/m/in/idle"), ROOT).fid());
    assertThat(needed("/m/in/idle")).isEmpty();
  }
}
