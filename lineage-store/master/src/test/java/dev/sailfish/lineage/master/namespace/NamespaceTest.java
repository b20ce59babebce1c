package dev.sailfish.lineage.master.namespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import dev.sailfish.lineage.master.table.InodeTable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class NamespaceTest {
  private static final Caller ROOT = new Caller("root", Set.of(), true);
  private static final Caller ALICE = new Caller("alice", Set.of("staff", "eng"), false);
  private static final Caller BOB = new Caller("bob", Set.of("staff"), false);
  private static final Caller EVE = new Caller("eve", Set.of(), false);
  private static final long WRITER = 7;

  private final Namespace namespace = Namespace.empty();
  private long now = 1_000;
  private int worker;

  @BeforeEach
  void giveAliceAHome() throws NamespaceException {
    worker = namespace.addWorker(1, "localhost", 1).number();
    directory("/home/alice", 0755, ROOT);
    namespace.setOwner(path("/home/alice"), "alice", "staff", ROOT);
  }

  private static StorePath path(String text) throws NamespaceException {
    return StorePath.of(text);
  }

  private static Creation creation(int mode, int parentMode, boolean replace) {
    return new Creation(mode, parentMode, 27, replace, WRITER);
  }

  private FileInfo create(String path, Caller caller) throws NamespaceException {
    return namespace.writing().create(path(path), creation(0644, 0755, false), caller, ++now);
  }

  /** Of a file with one block, or none. */
  private FileInfo complete(long fid, long writer, long length) throws NamespaceException {
    int[] places = length == 0 ? new int[0] : new int[] {Place.of(worker, 0)};
    return namespace.writing().complete(fid, writer, Content.of(length, places), ++now);
  }

  private FileInfo file(String path, Caller caller) throws NamespaceException {
    return complete(create(path, caller).fid(), WRITER, 10);
  }

  private FileInfo directory(String path, int mode, Caller caller) throws NamespaceException {
    return namespace.makeDirectories(path(path), mode, caller, ++now);
  }

  private void rename(String from, String to, boolean replace, Caller caller)
      throws NamespaceException {
    namespace.rename(path(from), path(to), replace, caller, ++now);
  }

  private void delete(String path, boolean recursive, Caller caller) throws NamespaceException {
    namespace.delete(path(path), recursive, caller, ++now);
  }

  private List<String> names(String path) throws NamespaceException {
    return namespace.list(path(path), "", 100, ROOT).stream().map(FileInfo::name).toList();
  }

  private void assertRefused(Reason reason, String message, ThrowingCallable what) {
    List<String> before = tree("/");
    assertThatThrownBy(what)
        .isInstanceOfSatisfying(
            NamespaceException.class, e -> assertThat(e.reason()).isEqualTo(reason))
        .hasMessageContaining(message);
    assertThat(tree("/")).isEqualTo(before);
  }

  private List<String> tree(String path) {
    List<String> all = new ArrayList<>();
    try {
      for (FileInfo entry : namespace.list(path(path), "", 1_000, ROOT)) {
        String name = path + (path.endsWith("/") ? "" : "/") + entry.name();
        all.add(name + " " + entry);
        if (entry.isDirectory()) {
          all.addAll(tree(name));
        }
      }
    } catch (NamespaceException e) {
      throw new AssertionError(e);
    }
    return all;
  }

  @Test
  void aFileIsCreatedThenComplete() throws NamespaceException {
    FileInfo created = create("/home/alice/a/b/file", ALICE);
    assertThat(created)
        .isEqualTo(
            new FileInfo(
                created.fid(),
                "file",
                false,
                false,
                0,
                1 << 27,
                now,
                "alice",
                "staff",
                0644,
                false));
    assertThat(namespace.writing().size()).isOne();

    FileInfo complete = complete(created.fid(), WRITER, 4711);
    assertThat(complete)
        .isEqualTo(
            new FileInfo(
                created.fid(),
                "file",
                false,
                true,
                4711,
                1 << 27,
                now,
                "alice",
                "staff",
                0644,
                false));
    assertThat(namespace.writing().size()).isZero();
    assertThat(namespace.stat(path("/home/alice/a/b/file"), BOB)).isEqualTo(complete);
    assertThat(namespace.stat(created.fid())).isEqualTo(complete);
    assertThat(namespace.path(created.fid())).isEqualTo("/home/alice/a/b/file");
    assertThat(namespace.stat(path("/home/alice/a"), BOB).mode()).isEqualTo(0755);

    assertThat(complete(created.fid(), WRITER, 4711)).isEqualTo(complete);
    assertRefused(Reason.NOT_WRITING, "is complete", () -> complete(created.fid(), WRITER, 4712));
  }

  @Test
  void onlyItsWriterCompletesAFileOrGivesItUp() throws NamespaceException {
    long fid = create("/home/alice/file", ALICE).fid();
    assertRefused(Reason.NOT_WRITING, "someone else", () -> complete(fid, WRITER + 1, 1));
    assertRefused(
        Reason.NOT_WRITING,
        "someone else",
        () -> namespace.writing().abandon(fid, WRITER + 1, ++now));
    namespace.writing().abandon(fid, WRITER, ++now);
    assertThat(names("/home/alice")).isEmpty();
    assertRefused(Reason.NOT_FOUND, "fid=", () -> complete(fid, WRITER, 1));
    assertThat(namespace.sweep(1, (file, holder) -> {})).isFalse();
    assertThat(namespace.isKnown(fid)).isFalse();
    assertThat(namespace.writing().size()).isZero();
  }

  @Test
  void whatIsThereIsReplacedOnlyIfAskedFor() throws NamespaceException {
    FileInfo old = file("/home/alice/file", ALICE);
    assertRefused(Reason.EXISTS, "/home/alice/file", () -> create("/home/alice/file", ALICE));
    StorePath path = path("/home/alice/file");
    FileInfo next = namespace.writing().create(path, creation(0600, -1, true), ALICE, ++now);
    assertThat(next.fid()).isNotEqualTo(old.fid());
    assertThat(names("/home/alice")).containsExactly("file");
    List<Long> freed = new ArrayList<>();
    namespace.sweep(10, (fid, holder) -> freed.add(fid));
    assertThat(freed).containsExactly(old.fid());
    assertRefused(
        Reason.IS_A_DIRECTORY,
        "/home/alice",
        () ->
            namespace.writing().create(path("/home/alice"), creation(0600, -1, true), ROOT, ++now));
  }

  @Test
  void parentsAreMadeOnlyIfAskedFor() throws NamespaceException {
    assertRefused(
        Reason.NOT_FOUND,
        "/home/alice/a",
        () ->
            namespace
                .writing()
                .create(path("/home/alice/a/b"), creation(0644, -1, false), ALICE, ++now));
    file("/home/alice/f", ALICE);
    assertRefused(
        Reason.NOT_A_DIRECTORY, "/home/alice/f is a file", () -> create("/home/alice/f/g", ALICE));
    assertRefused(
        Reason.NOT_A_DIRECTORY,
        "/home/alice/f is a file",
        () -> directory("/home/alice/f/g/h", 0755, ALICE));
    assertRefused(
        Reason.EXISTS, "/home/alice/f is a file", () -> directory("/home/alice/f", 0755, ALICE));
    assertRefused(
        Reason.NOT_A_DIRECTORY,
        "/home/alice/f is a file",
        () -> namespace.stat(path("/home/alice/f/g"), ALICE));
    FileInfo home = namespace.stat(path("/home/alice"), ALICE);
    assertThat(directory("/home/alice", 0700, ALICE)).isEqualTo(home);
  }

  @Test
  void refusesWhatNoFileCanHave() throws NamespaceException {
    StorePath path = path("/home/alice/f");
    for (Creation creation :
        List.of(
            new Creation(010000, 0755, 27, false, WRITER),
            new Creation(0644, 010000, 27, false, WRITER),
            new Creation(0644, 0755, 15, false, WRITER),
            new Creation(0644, 0755, 31, false, WRITER))) {
      assertRefused(
          Reason.INVALID, "not ", () -> namespace.writing().create(path, creation, ALICE, ++now));
    }
    long fid = create("/home/alice/f", ALICE).fid();
    assertRefused(Reason.INVALID, "a length is from 0 to", () -> complete(fid, WRITER, -1));
    assertRefused(Reason.INVALID, "a mode is from 0 to", () -> namespace.setMode(path, -1, ALICE));
    assertRefused(
        Reason.INVALID, "a time is from 0 to", () -> namespace.setModified(path, -1, ALICE));
    assertRefused(
        Reason.INVALID,
        "a time is from 0 to",
        () -> namespace.setModified(path, InodeTable.LAST_MS + 1, ALICE));
    namespace.setModified(path, InodeTable.LAST_MS, ALICE);
  }

  @Test
  void allGoesThatAGoneWriterHasNotCompleted() throws NamespaceException {
    create("/home/alice/a", ALICE);
    create("/home/alice/gone/b", ALICE);
    file("/home/alice/complete", ALICE);
    Creation others = new Creation(0644, 0755, 27, false, WRITER + 1);
    namespace.writing().create(path("/home/alice/others"), others, ALICE, ++now);
    delete("/home/alice/gone", true, ALICE);
    namespace.writing().abandonAll(WRITER, ++now);
    assertThat(names("/home/alice")).containsExactly("complete", "others");
    assertThat(namespace.sweep(100, (fid, holder) -> {})).isFalse();
    assertThat(namespace.writing().size()).isOne();
    assertThat(namespace.size()).isEqualTo(5);
  }

  @Test
  void listsInOrderInPieces() throws NamespaceException {
    for (int i = 9; i >= 0; i--) {
      file("/home/alice/" + i, ALICE);
    }
    List<String> seen = new ArrayList<>();
    String last = "";
    for (int i = 0; i < 4; i++) {
      List<FileInfo> piece = namespace.list(path("/home/alice"), last, 3, BOB);
      piece.forEach(entry -> seen.add(entry.name()));
      last = seen.get(seen.size() - 1);
      delete("/home/alice/" + last, false, ALICE); // the place is kept by name
    }
    assertThat(seen).containsExactly("0", "1", "2", "3", "4", "5", "6", "7", "8", "9");
    assertThat(namespace.list(path("/home/alice/0"), "", 3, BOB)).hasSize(1);
    assertThat(namespace.list(path("/home/alice/0"), "0", 3, BOB)).isEmpty();
  }

  @Test
  void renamesFilesAndWholeDirectories() throws NamespaceException {
    FileInfo file = file("/home/alice/a/file", ALICE);
    rename("/home/alice/a", "/home/alice/b", false, ALICE);
    assertThat(namespace.path(file.fid())).isEqualTo("/home/alice/b/file");
    rename("/home/alice/b/file", "/home/alice/other", false, ALICE);
    assertThat(names("/home/alice")).containsExactly("b", "other");
    rename("/home/alice/b", "/home/alice/b", false, ALICE);
    file("/home/alice/b/x", ALICE);

    assertRefused(
        Reason.INVALID,
        "into itself",
        () -> rename("/home/alice/b", "/home/alice/b/c", false, ALICE));
    assertRefused(
        Reason.EXISTS,
        "/home/alice/b",
        () -> rename("/home/alice/other", "/home/alice/b", false, ALICE));
    assertRefused(
        Reason.IS_A_DIRECTORY,
        "/home/alice/b",
        () -> rename("/home/alice/other", "/home/alice/b", true, ALICE));
    assertRefused(
        Reason.NOT_A_DIRECTORY,
        "/home/alice/other",
        () -> rename("/home/alice/b", "/home/alice/other", true, ALICE));
    directory("/home/alice/c", 0755, ALICE);
    assertRefused(
        Reason.NOT_EMPTY,
        "/home/alice/b",
        () -> rename("/home/alice/c", "/home/alice/b", true, ALICE));
    assertRefused(
        Reason.NOT_FOUND,
        "/home/alice/no",
        () -> rename("/home/alice/c", "/home/alice/no/c", true, ALICE));
    assertRefused(Reason.INVALID, "root", () -> rename("/", "/x", true, ROOT));
    assertRefused(Reason.INVALID, "root", () -> rename("/home", "/", true, ROOT));

    rename("/home/alice/b", "/home/alice/c", true, ALICE);
    assertThat(names("/home/alice")).containsExactly("c", "other");
    rename("/home/alice/other", "/home/alice/c/x", true, ALICE);
    assertThat(namespace.stat(path("/home/alice/c/x"), ALICE).fid()).isEqualTo(file.fid());
  }

  @Test
  void aFileIsWrittenOnUnderAnotherName() throws NamespaceException {
    long fid = create("/home/alice/a/file", ALICE).fid();
    rename("/home/alice/a", "/home/alice/b", false, ALICE);
    complete(fid, WRITER, 3);
    assertThat(namespace.stat(path("/home/alice/b/file"), ALICE).length()).isEqualTo(3);
  }

  @Test
  void deletesTreesAtOnceAndFreesThemBitByBit() throws NamespaceException {
    Set<Long> fids = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      fids.add(file("/home/alice/d/%d/%d".formatted(i % 7, i), ALICE).fid());
    }
    long open = create("/home/alice/d/open", ALICE).fid();
    int size = namespace.size();
    assertRefused(Reason.NOT_EMPTY, "/home/alice/d", () -> delete("/home/alice/d", false, ALICE));
    assertRefused(Reason.INVALID, "root", () -> delete("/", true, ROOT));
    delete("/home/alice/d", true, ALICE);

    assertThat(names("/home/alice")).isEmpty();
    assertThat(namespace.size()).isEqualTo(size);
    assertRefused(Reason.NOT_FOUND, "fid=", () -> complete(open, WRITER, 1));
    List<Long> freed = new ArrayList<>();
    for (int i = 1; namespace.sweep(10, (fid, holder) -> freed.add(fid)); i++) {
      assertThat(namespace.size()).isEqualTo(size - 10 * i);
    }
    assertThat(freed).containsExactlyInAnyOrderElementsOf(fids);
    assertThat(namespace.size()).isEqualTo(3);
  }

  @Test
  void permissionsAreThoseOfPosix() throws NamespaceException {
    file("/home/alice/file", ALICE);
    directory("/home/alice/secret", 0700, ALICE);
    file("/home/alice/secret/file", ALICE);
    assertRefused(
        Reason.DENIED,
        "bob may not enter /home/alice/secret: owner=alice group=staff mode=rwx------",
        () -> namespace.stat(path("/home/alice/secret/none"), BOB));
    assertRefused(
        Reason.DENIED,
        "bob may not list /home/alice/secret",
        () -> namespace.list(path("/home/alice/secret"), "", 1, BOB));
    assertRefused(
        Reason.DENIED, "bob may not write in /home/alice", () -> create("/home/alice/of-bob", BOB));
    assertRefused(
        Reason.DENIED,
        "may not write in /home/alice",
        () -> delete("/home/alice/file", false, BOB));
    assertRefused(
        Reason.DENIED,
        "may not write in /home/alice",
        () -> rename("/home/alice/file", "/home/alice/x", false, BOB));
    assertRefused(
        Reason.DENIED,
        "may not change permissions of",
        () -> namespace.setMode(path("/home/alice/file"), 0777, BOB));
    assertRefused(
        Reason.DENIED,
        "may not change the time of",
        () -> namespace.setModified(path("/home/alice/file"), 1, BOB));

    namespace.setMode(path("/home/alice"), 0770, ALICE);
    file("/home/alice/of-bob", BOB);
    assertRefused(
        Reason.DENIED,
        "eve may not enter /home/alice: owner=alice group=staff mode=rwxrwx---",
        () -> namespace.stat(path("/home/alice/file"), EVE));
  }

  @Test
  void ownersChooseAmongTheirGroups() throws NamespaceException {
    file("/home/alice/file", ALICE);
    StorePath path = path("/home/alice/file");
    namespace.setOwner(path, "", "eng", ALICE);
    namespace.setOwner(path, "alice", "", ALICE);
    assertThat(namespace.stat(path, ALICE).group()).isEqualTo("eng");
    assertRefused(
        Reason.DENIED, "give to others", () -> namespace.setOwner(path, "bob", "", ALICE));
    assertRefused(
        Reason.DENIED, "give to others", () -> namespace.setOwner(path, "", "wheel", ALICE));
    assertRefused(
        Reason.DENIED, "change permissions of", () -> namespace.setOwner(path, "", "staff", BOB));
    namespace.setOwner(path, "bob", "wheel", ROOT);
    assertThat(namespace.stat(path, ROOT).owner()).isEqualTo("bob");
    assertRefused(
        Reason.INVALID,
        "1 to 255 characters",
        () -> namespace.setOwner(path, "b".repeat(256), "", ROOT));
  }

  @Test
  void aStickyDirectoryKeepsWhatIsForeign() throws NamespaceException {
    directory("/tmp", 01777, ROOT);
    file("/tmp/of-alice", ALICE);
    directory("/tmp/tree", 0777, BOB);
    assertRefused(Reason.DENIED, "sticky", () -> delete("/tmp/of-alice", false, BOB));
    assertRefused(
        Reason.DENIED, "sticky", () -> rename("/tmp/of-alice", "/tmp/tree/x", false, BOB));
    file("/tmp/of-bob", BOB);
    assertRefused(Reason.DENIED, "sticky", () -> rename("/tmp/of-bob", "/tmp/of-alice", true, BOB));
    rename("/tmp/of-bob", "/tmp/tree/x", false, BOB);
    delete("/tmp/of-alice", false, ALICE);
  }

  @Test
  void aTreeIsDeletedOnlyByThoseWhoCouldEmptyIt() throws NamespaceException {
    directory("/shared", 0777, ROOT);
    directory("/shared/d/of-alice", 0755, ALICE);
    file("/shared/d/of-alice/file", ALICE);
    namespace.setMode(path("/shared/d"), 0777, ALICE);
    assertRefused(
        Reason.DENIED,
        "bob may not empty of-alice somewhere in /shared/d",
        () -> delete("/shared/d", true, BOB));
    namespace.setMode(path("/shared/d/of-alice"), 01777, ALICE);
    assertRefused(
        Reason.DENIED,
        "bob may not remove file somewhere in /shared/d",
        () -> delete("/shared/d", true, BOB));
    namespace.setMode(path("/shared/d/of-alice"), 0777, ALICE);
    delete("/shared/d", true, BOB);
    assertThat(names("/shared")).isEmpty();
  }

  @Test
  void anotherWorkerAtTheSameAddressTakesThePlaceOfTheOneThatWasThere() throws NamespaceException {
    long fid = file("/home/alice/file", ALICE).fid();
    int elsewhere = namespace.addWorker(2, "localhost", 2).number();
    int other = namespace.addWorker(3, "localhost", 1).number();
    assertThat(namespace.isLive(worker)).isFalse();
    assertThat(namespace.workers()).extracting(Worker::number).containsExactly(elsewhere, other);
    assertThat(namespace.blocks(fid, 0, 1)).isEmpty();
  }
}
