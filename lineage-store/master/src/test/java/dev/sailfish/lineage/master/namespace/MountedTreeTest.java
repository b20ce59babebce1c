package dev.sailfish.lineage.master.namespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.ground.journal.StateView;
import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import dev.sailfish.lineage.master.namespace.Sighting.Found;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What was seen below and comes late, and what is written below. */
class MountedTreeTest {
  private static final Caller ROOT = new Caller("root", Set.of(), true);
  private static final long WRITER = 7;
  private static final int[] NOWHERE = {};

  private Namespace namespace = Namespace.empty();
  private long now;

  @BeforeEach
  void mount() throws NamespaceException {
    namespace.mount("/m file:///below", ROOT, ++now);
  }

  private static StorePath path(String text) {
    try {
      return StorePath.of(text);
    } catch (NamespaceException e) {
      throw new AssertionError(e);
    }
  }

  private static Below version(long length, String tag) {
    return new Below(false, length, 1_000, tag, OptionalInt.empty(), false);
  }

  private static Found found(Below file) {
    return new Found(file, "alice", "staff", 0640, 25);
  }

  private void see(String path, Below file) throws NamespaceException {
    take(sighting(path, file));
  }

  private Sighting sighting(String path, Below file) {
    return namespace.mounted().sighting(path(path), file == null ? null : found(file));
  }

  private void take(Sighting sighting) throws NamespaceException {
    namespace.mounted().take(sighting, ++now);
  }

  private FileInfo stat(String path) throws NamespaceException {
    return namespace.stat(path(path), ROOT);
  }

  private void assertNothing(String path) {
    assertRefused(Reason.NOT_FOUND, () -> stat(path));
  }

  private interface Call {
    void run() throws NamespaceException;
  }

  private static void assertRefused(Reason reason, Call call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            NamespaceException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  private FileInfo create(String path) throws NamespaceException {
    Creation creation = new Creation(0644, 0755, 20, true, WRITER);
    return namespace.writing().create(path(path), creation, ROOT, ++now);
  }

  private FileInfo complete(FileInfo file, long length) throws NamespaceException {
    return namespace.writing().complete(file.fid(), WRITER, Content.of(length, NOWHERE), ++now);
  }

  @Test
  void whatIsBelowIsAFileWithoutBlocks() throws NamespaceException {
    see("/m/file", version(5, "v1"));
    FileInfo file = stat("/m/file");
    assertThat(file)
        .isEqualTo(
            new FileInfo(
                file.fid(), "file", false, true, 5, 1 << 25, 1_000, "alice", "staff", 0640, true));
    assertThat(namespace.blocks(file.fid(), 0, 10)).isEmpty();
    MountedFile mounted = namespace.mountedFile(file.fid());
    assertThat(mounted.under().underText()).isEqualTo("file:///below/file");
    assertThat(mounted.below()).isEqualTo(version(5, "v1"));
  }

  @Test
  void anotherContentIsAnotherFile() throws NamespaceException {
    see("/m/file", version(5, "v1"));
    long fid = stat("/m/file").fid();
    see("/m/file", new Below(false, 5, 2_000, "v1", OptionalInt.empty(), false));
    assertThat(stat("/m/file").fid()).isEqualTo(fid);
    see("/m/file", version(5, "v2"));
    assertThat(stat("/m/file").fid()).isNotEqualTo(fid);
    assertRefused(Reason.NOT_FOUND, () -> namespace.stat(fid));
    see("/m/file", null);
    assertNothing("/m/file");
  }

  /** A server gives it, or somebody who says to be a worker. */
  @Test
  void aTagForWhichThereIsNoRoomIsCut() throws NamespaceException {
    for (String tag : List.of("t".repeat(65_515), "\u20ac".repeat(21_839))) {
      see("/m/file", version(5, tag));
      assertThat(namespace.mounted().below(path("/m/file")).orElseThrow().tag())
          .isEqualTo(tag.substring(0, 21_838));
    }
    String longest = "t".repeat(65_514);
    see("/m/file", version(5, longest));
    assertThat(namespace.mounted().below(path("/m/file"))).contains(version(5, longest));
  }

  @Test
  void aDirectoryIsBelowOnceSomethingInItIs() throws NamespaceException {
    complete(create("/m/made/here"), 0);
    assertThat(namespace.mounted().below(path("/m/made"))).isEmpty();
    see("/m/made/there", version(5, "v1"));
    assertThat(namespace.mounted().below(path("/m/made"))).contains(Below.DIRECTORY);
  }

  @Test
  void whatWasSeenBeforeAChangeDoesNotCount() throws NamespaceException {
    see("/m/file", version(5, "v1"));
    Sighting gone = sighting("/m/file", null);
    Sighting other = sighting("/m/file", version(6, "v2"));
    FileInfo mine = create("/m/file");
    take(gone);
    take(other);
    assertThat(stat("/m/file").fid()).isEqualTo(mine.fid());

    Sighting nothingYet = sighting("/m/other", version(1, ""));
    FileInfo another = create("/m/other");
    take(nothingYet);
    assertThat(stat("/m/other").fid()).isEqualTo(another.fid());
  }

  @Test
  void aCopyThatIsRecordedMeanwhileIsNotTakenForGone() throws NamespaceException {
    FileInfo file = complete(create("/m/file"), 0);
    Sighting gone = sighting("/m/file", null);
    namespace.mounted().record(file.fid(), path("/m/file"), version(0, "copy"));
    take(gone);
    assertThat(stat("/m/file").isBelow()).isTrue();
  }

  @Test
  void aFileThatTakesThePlaceOfOneBelowIsOnlyHereUntilItIsCopied() throws NamespaceException {
    see("/m/file", version(5, "old"));
    FileInfo file = create("/m/file");
    assertThat(stat("/m/file").isBelow()).isFalse();
    assertThat(namespace.mountedFile(file.fid()).below().isReplaced()).isTrue();
    assertThat(namespace.mountedFile(file.fid()).below().tag()).isEqualTo("old");
    namespace.mounted().record(file.fid(), path("/m/file"), version(9, "new"));
    assertThat(complete(file, 9).isBelow()).isTrue();
  }

  @Test
  void aFileThatIsOnlyBelowIsCompleteWithoutBlocks() throws NamespaceException {
    FileInfo file = create("/m/a/file");
    assertRefused(Reason.INVALID, () -> complete(file, 9));
    namespace.mounted().record(file.fid(), path("/m/a/file"), version(9, "new"));
    assertRefused(Reason.INVALID, () -> complete(file, 8));
    assertThat(complete(file, 9).isComplete()).isTrue();
    assertThat(namespace.mounted().below(path("/m/a"))).contains(Below.DIRECTORY);
  }

  /** Else its blocks could go, and half of it would be nowhere. */
  @Test
  void aFileWhoseCopyIsOfAnotherLengthIsNotComplete() throws NamespaceException {
    int worker = namespace.addWorker(1, "host", 1).number();
    FileInfo file = create("/m/file");
    namespace.mounted().record(file.fid(), path("/m/file"), version(5, "half"));
    int[] places = {Place.of(worker, 0)};
    assertRefused(
        Reason.INVALID,
        () -> namespace.writing().complete(file.fid(), WRITER, Content.of(9, places), ++now));
    assertThat(stat("/m/file").isComplete()).isFalse();
    namespace.mounted().record(file.fid(), path("/m/file"), version(9, "whole"));
    assertThat(
            namespace
                .writing()
                .complete(file.fid(), WRITER, Content.of(9, places), ++now)
                .isBelow())
        .isTrue();
  }

  @Test
  void aCopyOfAFileThatIsElsewhereNowDoesNotCount() throws NamespaceException {
    FileInfo file = complete(create("/m/file"), 0);
    namespace.rename(path("/m/file"), path("/m/there"), false, ROOT, ++now);
    assertRefused(
        Reason.NOT_FOUND,
        () -> namespace.mounted().record(file.fid(), path("/m/file"), version(0, "")));
    namespace.delete(path("/m/there"), false, ROOT, ++now);
    assertRefused(
        Reason.NOT_FOUND,
        () -> namespace.mounted().record(file.fid(), path("/m/there"), version(0, "")));
    FileInfo outside = complete(create("/elsewhere"), 0);
    assertRefused(
        Reason.NOT_FOUND,
        () -> namespace.mounted().record(outside.fid(), path("/elsewhere"), version(0, "")));
  }

  @Test
  void aDirectoryThatIsGoneBelowKeepsWhatIsOnlyHere() throws NamespaceException {
    see("/m/d", Below.DIRECTORY);
    see("/m/d/e", Below.DIRECTORY);
    see("/m/d/e/below", version(1, ""));
    see("/m/d/below", version(1, ""));
    create("/m/d/here");
    see("/m/d", null);
    assertThat(namespace.list(path("/m/d"), "", 10, ROOT))
        .extracting(FileInfo::name)
        .containsExactly("here");
  }

  @Test
  void whatIsNotInADirectoryOfTheTreeIsNotTaken() throws NamespaceException {
    see("/m/none/file", version(1, ""));
    assertNothing("/m/none");
    see("/elsewhere", version(1, ""));
    assertNothing("/elsewhere");
    see("/m", version(1, ""));
    assertThat(stat("/m").isDirectory()).isTrue();
  }

  @Test
  void mountsAreNotInEachOther() throws NamespaceException {
    namespace.mount("/m/inner file:///other", ROOT, ++now);
    for (String wrong :
        List.of("/m file:///x", "/y file:///below", "/y file:///below/in", "/y file:///")) {
      assertRefused(Reason.INVALID, () -> namespace.mount(wrong, ROOT, now));
    }
    assertRefused(Reason.NOT_EMPTY, () -> namespace.mounted().remove(path("/m"), true, ROOT, now));
    assertRefused(
        Reason.INVALID, () -> namespace.rename(path("/m/inner"), path("/n"), false, ROOT, now));
    assertRefused(Reason.INVALID, () -> namespace.delete(path("/m"), true, ROOT, now));
    create("/m/file");
    assertRefused(
        Reason.INVALID,
        () -> namespace.rename(path("/m/file"), path("/m/inner/file"), false, ROOT, now));
  }

  @Test
  void isTakenAwayOnlyWithForceWhileFilesAreOnlyHere() throws NamespaceException {
    complete(create("/m/d/file"), 0);
    assertRefused(Reason.NOT_EMPTY, () -> namespace.mounted().remove(path("/m"), false, ROOT, now));
    namespace.mounted().remove(path("/m"), true, ROOT, ++now);
    assertNothing("/m/d");
    assertThat(stat("/m").isDirectory()).isTrue();
    assertThat(namespace.mounted().mounts()).isEmpty();
  }

  @Test
  void whatIsInAClosedDirectoryIsNotFreed() throws NamespaceException {
    see("/m/open", Below.DIRECTORY);
    see("/m/closed", Below.DIRECTORY);
    for (String path : List.of("/m/open/file", "/m/closed/file", "/m/closed/other")) {
      see(path, version(5, "v1"));
      namespace.setMode(path(path), 0666, ROOT);
    }
    namespace.setMode(path("/m/open"), 0755, ROOT);
    namespace.setMode(path("/m/closed"), 0711, ROOT);
    Caller bob = new Caller("bob", Set.of(), false);
    assertThat(namespace.mounted().freeable(path("/m"), bob))
        .isEqualTo(new MountedTree.Freeable(List.of(stat("/m/open/file").fid()), 1));
    assertThat(namespace.mounted().freeable(path("/m"), ROOT).fids()).hasSize(3);
  }

  @Test
  void onlyWhatIsMountedIsTakenAway() throws NamespaceException {
    create("/m/file");
    create("/elsewhere/file");
    for (String wrong : List.of("/m/file", "/elsewhere", "/elsewhere/file", "/none")) {
      for (boolean force : new boolean[] {false, true}) {
        assertRefused(
            Reason.NOT_FOUND, () -> namespace.mounted().remove(path(wrong), force, ROOT, now));
      }
    }
    assertThat(stat("/m/file").isComplete()).isFalse();
    assertThat(stat("/elsewhere/file").isComplete()).isFalse();
    assertThat(namespace.mounted().mounts()).hasSize(1);
  }

  @Test
  void snapshotsHaveMountsAndWhatIsBelow() throws IOException, NamespaceException {
    see("/m/file", version(5, "ümlaut"));
    FileInfo mine = complete(create("/m/mine"), 0);
    Below copy = new Below(false, 0, 3, "t", OptionalInt.of(-1), false);
    namespace.mounted().record(mine.fid(), path("/m/mine"), copy);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (StateView view = namespace.freeze()) {
      while (view.write(bytes)) {
        see("/m/file", null);
      }
    }
    Namespace other = Namespace.read(new ByteArrayInputStream(bytes.toByteArray()));
    assertThat(other.mounted().mounts()).isEqualTo(namespace.mounted().mounts());
    assertThat(other.mounted().below(path("/m/file"))).contains(version(5, "ümlaut"));
    assertThat(other.mountedFile(mine.fid()).below()).isEqualTo(copy);
    assertThat(other.stat(path("/m/file"), ROOT).isBelow()).isTrue();
  }

  @Test
  void aMountOfTheRootLeavesOutWhatLineageNeeds() throws NamespaceException {
    namespace.mounted().remove(path("/m"), false, ROOT, ++now);
    namespace.mount("/ file:///below", ROOT, ++now);
    see("/.lineage", Below.DIRECTORY);
    assertNothing("/.lineage");
    FileInfo program = namespace.lineage().programs().prepare("a".repeat(64), WRITER, ROOT, ++now);
    complete(program, 0);
    assertRefused(Reason.NOT_FOUND, () -> namespace.mountedFile(program.fid()));
    assertRefused(Reason.INVALID, () -> namespace.mount("/.lineage file:///x", ROOT, ++now));
    assertRefused(Reason.INVALID, () -> namespace.mount("/.lineage/a file:///x", ROOT, ++now));
    see("/.lineagefile", version(5, "v1"));
    assertThat(stat("/.lineagefile").isBelow()).isTrue();
    namespace.mounted().remove(path("/"), false, ROOT, ++now);
    assertThat(namespace.stat(program.fid()).isComplete()).isTrue();
    assertNothing("/.lineagefile");
  }
}
