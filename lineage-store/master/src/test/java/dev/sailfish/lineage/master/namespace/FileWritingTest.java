package dev.sailfish.lineage.master.namespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.lineage.master.Snapshot;
import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Files under ids that are kept for their writers. */
class FileWritingTest {
  private static final Caller ROOT = new Caller("root", Set.of(), true);
  private static final Caller BOB = new Caller("bob", Set.of(), false);
  private static final long CLIENT = 7;
  private static final long OTHER = 8;
  private static final Creation NEW = new Creation(0644, Creation.NO_PARENTS, 20, false, CLIENT);
  private static final Creation REPLACING = new Creation(0644, 0755, 20, true, CLIENT);
  private static final int[] NOWHERE = {};

  private final Namespace namespace = Namespace.empty();
  private final FileWriting files = namespace.writing();
  private int worker;
  private long fid;

  @BeforeEach
  void begin() throws NamespaceException {
    worker = namespace.addWorker(1, "localhost", 1).number();
    fid = files.reserve(CLIENT, 1, ROOT).get(0);
  }

  private static StorePath path(String text) throws NamespaceException {
    return StorePath.of(text);
  }

  private FileInfo write(String path, Creation creation, long length) throws NamespaceException {
    int[] places = length == 0 ? NOWHERE : new int[] {Place.of(worker, 0)};
    return files.write(path(path), creation, fid, Content.of(length, places), ROOT, 5);
  }

  private static void assertRefused(Reason reason, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            NamespaceException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  @Test
  void nobodySeesAnIdThatIsKept() throws NamespaceException {
    assertThat(namespace.size()).isOne();
    assertThat(files.size()).isZero();
    assertThat(files.writers()).isEmpty();
    assertThat(files.clients()).containsExactly(CLIENT);
    assertRefused(Reason.NOT_FOUND, () -> namespace.stat(fid));
    assertThat(namespace.list(path("/"), "", 10, ROOT)).isEmpty();
    assertThat(namespace.isKnown(fid)).as("a worker keeps blocks that are written").isTrue();
  }

  @Test
  void oneChangeMakesAFile() throws NamespaceException {
    FileInfo made = write("/f", NEW, 10);
    assertThat(made.fid()).isEqualTo(fid);
    assertThat(made.isComplete()).isTrue();
    assertThat(made.length()).isEqualTo(10);
    assertThat(namespace.blocks(fid, 0, 9)).hasSize(1);
    assertThat(files.clients()).isEmpty();
    assertThat(namespace.size()).isEqualTo(2);
    assertThat(write("/f", NEW, 10)).as("a repetition does no harm").isEqualTo(made);
    assertRefused(Reason.NOT_WRITING, () -> write("/f", NEW, 11));
  }

  @Test
  void theSameChangeCompletesAFileThatWasBegunSince() throws NamespaceException {
    assertThat(files.create(path("/f"), NEW, fid, ROOT, 1).fid()).isEqualTo(fid);
    assertRefused(Reason.NOT_WRITING, () -> files.create(path("/g"), NEW, fid, ROOT, 1));
    namespace.rename(path("/f"), path("/moved"), false, ROOT, 2);
    FileInfo made = write("/f", NEW, 10);
    assertThat(made.name()).isEqualTo("moved");
    assertThat(made.isComplete()).isTrue();
  }

  @Test
  void whatIsRefusedChangesNothing() throws NamespaceException {
    long other = files.create(path("/f"), REPLACING, ROOT, 1).fid();
    files.complete(other, CLIENT, Content.of(4, Place.of(worker, 0)), 1);
    assertRefused(Reason.EXISTS, () -> write("/f", NEW, 10));
    assertRefused(Reason.NOT_FOUND, () -> write("/d/f", NEW, 10));
    assertRefused(
        Reason.INVALID, () -> files.write(path("/f"), REPLACING, fid, Content.of(10), ROOT, 5));
    int[] dead = {Place.of(worker + 1, 0)};
    assertRefused(
        Reason.LOST, () -> files.write(path("/f"), REPLACING, fid, Content.of(10, dead), ROOT, 5));
    namespace.uses().quotas().set(path("/"), 0, 9, ROOT);
    assertRefused(Reason.QUOTA, () -> write("/f", REPLACING, 10));
    assertThat(namespace.stat(path("/f"), ROOT).fid()).isEqualTo(other);
    assertThat(write("/f", REPLACING, 9).fid()).as("in the room of the other one").isEqualTo(fid);
    assertThat(namespace.uses().quotas().of(path("/"), ROOT).orElseThrow().used().bytes())
        .isEqualTo(9);
  }

  @Test
  void aClientHasAFewIdsOfItsOwn() throws NamespaceException {
    List<Long> more = files.reserve(CLIENT, 1000, ROOT);
    assertThat(more).hasSize(FileWriting.MOST_RESERVED - 1).doesNotContain(fid);
    assertThat(files.reserve(CLIENT, 1, ROOT)).isEmpty();
    assertThat(files.reserve(CLIENT, -1, ROOT)).isEmpty();
    Creation foreign = new Creation(0644, Creation.NO_PARENTS, 20, false, OTHER);
    assertRefused(Reason.NOT_WRITING, () -> files.create(path("/f"), foreign, fid, ROOT, 1));
    assertRefused(Reason.NOT_FOUND, () -> files.abandon(fid, OTHER, 1));
  }

  @Test
  void idsGoWithTheirClient() throws NamespaceException {
    namespace.hold(fid, 0, Place.of(worker, 0));
    files.abandonAll(CLIENT, 1);
    assertThat(files.clients()).isEmpty();
    assertRefused(Reason.NOT_FOUND, () -> write("/f", NEW, 10));
    long[] freed = {0};
    namespace.sweep(10, (file, holder) -> freed[0] = file);
    assertThat(freed[0]).as("its block goes").isEqualTo(fid);
    assertThat(namespace.isKnown(fid)).isFalse();
    assertThat(namespace.size()).isOne();
    assertThat(files.reserve(CLIENT, 1, ROOT).get(0)).isNotEqualTo(fid);
  }

  @Test
  void anIdIsGivenUp() throws NamespaceException {
    files.abandon(fid, CLIENT, 1);
    assertThat(files.clients()).isEmpty();
    namespace.sweep(10, (file, holder) -> {});
    assertThat(namespace.isKnown(fid)).isFalse();
  }

  @Test
  void idsAreInSnapshots() throws NamespaceException, IOException {
    byte[] snapshot = Snapshot.of(namespace.freeze());
    Namespace read = Namespace.read(new ByteArrayInputStream(snapshot));
    assertThat(read.size()).isOne();
    FileInfo made =
        read.writing().write(path("/f"), NEW, fid, Content.of(1, Place.of(worker, 0)), ROOT, 5);
    assertThat(made.fid()).isEqualTo(fid);
  }

  @Test
  void onlyAFreeNameIsSimple() throws NamespaceException {
    assertThat(files.isSimple(path("/f"), REPLACING, fid, ROOT)).isTrue();
    assertThat(files.isSimple(path("/d/f"), REPLACING, fid, ROOT)).isFalse();
    assertRefused(Reason.NOT_FOUND, () -> files.isSimple(path("/d/f"), NEW, fid, ROOT));
    files.create(path("/f"), REPLACING, ROOT, 1);
    assertThat(files.isSimple(path("/f"), REPLACING, fid, ROOT)).isFalse();
    assertRefused(Reason.EXISTS, () -> files.isSimple(path("/f"), NEW, fid, ROOT));
    assertRefused(Reason.DENIED, () -> files.isSimple(path("/g"), NEW, fid, BOB));
    assertRefused(Reason.NOT_WRITING, () -> files.isSimple(path("/g"), NEW, fid + 1, ROOT));
  }
}
