package dev.sailfish.lineage.understore.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.ground.wire.Clock;
import dev.sailfish.lineage.understore.CopyKind;
import dev.sailfish.lineage.understore.CopyRecord;
import dev.sailfish.lineage.understore.CopyTarget;
import dev.sailfish.lineage.understore.CopyWriter;
import dev.sailfish.lineage.understore.TemporaryName;
import dev.sailfish.lineage.understore.UnderFile;
import dev.sailfish.lineage.understore.UnderListing;
import dev.sailfish.lineage.understore.UnderPath;
import dev.sailfish.lineage.understore.UnderReader;
import dev.sailfish.lineage.understore.UnderStore;
import dev.sailfish.lineage.understore.UnderStoreException;
import dev.sailfish.lineage.understore.UnderStoreException.Reason;
import dev.sailfish.lineage.understore.mount.Mount;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.zip.CRC32C;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What holds on every under store. */
@Seeded
@Timeout(120)
abstract class UnderStoreContract {
  static final int BUFFER = 64 << 10;
  static final long FID = 0x100000007L;

  private HadoopMount mount;
  private UnderStore store;
  private long temporaryNames;

  /** A mount of an empty directory, with a buffer of {@link #BUFFER}. */
  abstract Mount mount(String... options);

  /** Somebody else writes a file, with nothing of ours. */
  abstract void writeBelow(String path, byte[] content) throws IOException;

  /** Every name below, as somebody else sees them; of files only. */
  abstract List<String> namesBelow() throws IOException;

  abstract CopyKind kind();

  @BeforeEach
  final void open() throws IOException {
    use(mount());
  }

  final void use(Mount mount) throws IOException {
    closeAll();
    this.mount = new HadoopMount(mount, new Configuration(), clock(), () -> ++temporaryNames);
    store = this.mount.as(UserGroupInformation.getCurrentUser());
  }

  Clock clock() {
    return System::nanoTime;
  }

  @AfterEach
  final void closeAll() {
    if (mount != null) {
      assertThat(mount.temporaries()).isEmpty();
      store.close();
      mount.close();
    }
  }

  final HadoopMount opened() {
    return mount;
  }

  final UnderStore store() {
    return store;
  }

  static UnderPath path(String text) throws UnderStoreException {
    return UnderPath.of(text);
  }

  static void fails(Reason reason, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            UnderStoreException.class,
            e -> assertThat(e.reason()).as(e.getMessage()).isEqualTo(reason));
  }

  final CopyRecord copy(CopyTarget target, byte[] content) throws IOException {
    try (CopyWriter writer = store.write(target)) {
      writer.write(ByteBuffer.wrap(content));
      return writer.commit();
    }
  }

  final CopyRecord copy(String name, byte[] content) throws IOException {
    return copy(new CopyTarget(path(name), FID), content);
  }

  final byte[] read(String name) throws IOException {
    UnderFile file = store.status(path(name)).orElseThrow();
    try (UnderReader reader = store.open(file)) {
      ByteBuffer all = ByteBuffer.allocate(Math.toIntExact(file.length()));
      assertThat(reader.read(0, all)).isEqualTo(all.capacity());
      reader.requireUnchanged();
      return all.array();
    }
  }

  final List<String> list(String directory) throws IOException {
    List<String> names = new ArrayList<>();
    try (UnderListing listing = store.list(path(directory))) {
      for (List<UnderFile> page = listing.next(); !page.isEmpty(); page = listing.next()) {
        page.forEach(file -> names.add(file.path().name() + (file.directory() ? "/" : "")));
      }
      assertThat(listing.next()).isEmpty();
    }
    return names;
  }

  static int crc(byte[] content) {
    CRC32C crc = new CRC32C();
    crc.update(content);
    return (int) crc.getValue();
  }

  @Test
  void shouldReadBackWhatWasCopied(SplittableRandom random) throws Exception {
    int[] lengths = {0, 1, BUFFER - 1, BUFFER, BUFFER + 1, 3 * BUFFER, random.nextInt(5 * BUFFER)};
    for (int length : lengths) {
      byte[] content = TestBytes.random(random, length);
      CopyRecord record;
      try (CopyWriter writer = store.write(new CopyTarget(path("d/e/" + length), FID))) {
        for (int at = 0; at < length; ) {
          int piece = Math.min(length - at, random.nextInt(2 * BUFFER));
          ByteBuffer source = ByteBuffer.allocateDirect(piece).put(content, at, piece).flip();
          writer.write(source);
          assertThat(source.hasRemaining()).isFalse();
          at += piece;
        }
        assertThat(writer.length()).isEqualTo(length);
        record = writer.commit();
      }
      UnderFile now = store.status(path("d/e/" + length)).orElseThrow();
      assertThat(record).isEqualTo(new CopyRecord(now, FID, crc(content), kind()));
      assertThat(now.length()).isEqualTo(length);
      assertThat(store.verify(record)).isEqualTo(now);
      assertThat(store.changed(record.file())).isEmpty();
      assertThat(read("d/e/" + length)).isEqualTo(content);
    }
    assertThat(list("d/e")).hasSize(new TreeSet<>(namesBelow()).size());
  }

  @Test
  void shouldReadRanges(SplittableRandom random) throws Exception {
    byte[] content = TestBytes.random(random, 4 * BUFFER + 77);
    writeBelow("file", content);
    try (UnderReader reader = store.open(store.status(path("file")).orElseThrow())) {
      for (int i = 0; i < 30; i++) {
        int from = random.nextInt(content.length + 10);
        ByteBuffer range = ByteBuffer.allocateDirect(random.nextInt(2 * BUFFER) + 20);
        range.position(5).limit(range.capacity() - 7);
        int expected = Math.max(0, Math.min(range.remaining(), content.length - from));
        assertThat(reader.read(from, range)).isEqualTo(expected);
        assertThat(range.position()).isEqualTo(5 + expected);
        byte[] found = new byte[expected];
        range.flip().position(5).get(found);
        assertThat(found).isEqualTo(Arrays.copyOfRange(content, from, from + expected));
      }
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      reader.transfer(10, 2 * BUFFER, Channels.newChannel(out));
      assertThat(out.toByteArray()).isEqualTo(Arrays.copyOfRange(content, 10, 10 + 2 * BUFFER));
      reader.requireUnchanged();
      fails(Reason.CHANGED, () -> reader.transfer(content.length - 5, 6, Channels.newChannel(out)));
    }
  }

  @Test
  void shouldShowNothingOfACopyBeforeItIsMade(SplittableRandom random) throws Exception {
    byte[] content = TestBytes.random(random, 3 * BUFFER);
    try (CopyWriter writer = store.write(new CopyTarget(path("d/name"), FID))) {
      writer.write(ByteBuffer.wrap(content));
      assertThat(store.status(path("d/name"))).isEmpty();
      assertThat(namesBelow()).doesNotContain("d/name");
      if (!namesBelow().isEmpty()) {
        assertThat(list("d")).isEmpty();
        assertThat(TemporaryName.parse(namesBelow().get(0).substring(2)))
            .contains(new TemporaryName("name", FID, temporaryNames));
      }
      assertThat(store.sweep(UnderPath.ROOT, Duration.ZERO)).as("of a living writer").isZero();
      writer.commit();
    }
    assertThat(namesBelow()).containsExactly("d/name");
    assertThat(read("d/name")).isEqualTo(content);
  }

  @Test
  void shouldLeaveNothingOfACopyThatIsGivenUp(SplittableRandom random) throws Exception {
    try (CopyWriter writer = store.write(new CopyTarget(path("name"), FID))) {
      writer.write(ByteBuffer.wrap(TestBytes.random(random, 2 * BUFFER + 1)));
    }
    assertThat(namesBelow()).isEmpty();
    assertThat(store.status(path("name"))).isEmpty();
    CopyWriter writer = store.write(new CopyTarget(path("name"), FID));
    writer.close();
    writer.close();
    fails(Reason.INVALID, () -> writer.write(ByteBuffer.allocate(2 * BUFFER)));
    fails(Reason.INVALID, writer::commit);
  }

  @Test
  void shouldReplaceTheFileOfTheTargetAndNoOther(SplittableRandom random) throws Exception {
    byte[] first = TestBytes.random(random, 1000);
    byte[] second = TestBytes.random(random, 1000);
    writeBelow("name", first);
    fails(Reason.EXISTS, () -> copy("name", second));
    assertThat(read("name")).isEqualTo(first);
    assertThat(namesBelow()).containsExactly("name");
    UnderFile recorded = store.status(path("name")).orElseThrow();
    CopyRecord record = copy(new CopyTarget(path("name"), FID, Optional.of(recorded)), second);
    assertThat(read("name")).isEqualTo(second);
    assertThat(store.changed(recorded)).isPresent();
    assertThat(store.changed(record.file())).isEmpty();
    byte[] third = TestBytes.random(random, 1000);
    fails(
        Reason.CHANGED,
        () -> copy(new CopyTarget(path("name"), FID, Optional.of(recorded)), third));
    assertThat(read("name")).isEqualTo(second);
    assertThat(store.delete(path("name"), false)).isTrue();
    fails(
        Reason.CHANGED,
        () -> copy(new CopyTarget(path("name"), FID, Optional.of(record.file())), third));
    assertThat(namesBelow()).isEmpty();
  }

  @Test
  void shouldTakeTheSameContentForTheCopyItself(SplittableRandom random) throws Exception {
    byte[] content = TestBytes.random(random, BUFFER + 5);
    CopyRecord lost = copy("name", content);
    assertThat(copy("name", content)).isEqualTo(lost);
    assertThat(copy(new CopyTarget(path("name"), FID, Optional.of(other(lost.file()))), content))
        .isEqualTo(lost);
    assertThat(namesBelow()).containsExactly("name");
  }

  private static UnderFile other(UnderFile file) {
    return new UnderFile(file.path(), false, file.length() + 1, 0, "", file.ownership());
  }

  @Test
  void shouldNeverReplaceADirectory() throws Exception {
    writeBelow("d/file", new byte[1]);
    fails(Reason.EXISTS, () -> copy("d", new byte[10]));
    fails(Reason.INVALID, () -> store.write(new CopyTarget(UnderPath.ROOT, FID)));
    assertThat(namesBelow()).containsExactly("d/file");
  }

  @Test
  void shouldNoticeAFileThatChanges(SplittableRandom random) throws Exception {
    byte[] content = TestBytes.random(random, 3 * BUFFER);
    writeBelow("file", content);
    UnderFile recorded = store.status(path("file")).orElseThrow();
    assertThat(store.changed(recorded)).isEmpty();
    try (UnderReader reader = store.open(recorded)) {
      reader.read(0, ByteBuffer.allocate(100));
      content[2 * BUFFER]++;
      writeBelow("file", content);
      assertThat(store.changed(recorded)).isPresent();
      fails(
          Reason.CHANGED,
          () -> {
            reader.read(BUFFER, ByteBuffer.allocate(2 * BUFFER));
            reader.requireUnchanged();
          });
    }
    fails(Reason.CHANGED, () -> store.open(recorded));
    assertThat(read("file")).isEqualTo(content);
    store.delete(path("file"), false);
    assertThat(store.changed(recorded)).contains("it is gone");
    fails(Reason.MISSING, () -> store.open(recorded));
  }

  @Test
  void shouldTellADamagedCopyFromAGoodOne(SplittableRandom random) throws Exception {
    byte[] content = TestBytes.random(random, 2 * BUFFER + 3);
    CopyRecord record = copy("name", content);
    writeBelow("name", content);
    UnderFile again = store.verify(record);
    assertThat(again).isEqualTo(store.status(path("name")).orElseThrow());
    content[random.nextInt(content.length)] ^= 1;
    writeBelow("name", content);
    fails(Reason.DAMAGED, () -> store.verify(record));
    writeBelow("name", Arrays.copyOf(content, content.length - 1));
    fails(Reason.DAMAGED, () -> store.verify(record));
    store.delete(path("name"), false);
    fails(Reason.MISSING, () -> store.verify(record));
  }

  @Test
  void shouldSeeWhatOthersHaveMade() throws Exception {
    writeBelow("a/b/c", new byte[3]);
    writeBelow("a/d", new byte[4]);
    writeBelow("e", new byte[0]);
    assertThat(list("")).containsExactlyInAnyOrder("a/", "e");
    assertThat(list("a")).containsExactlyInAnyOrder("b/", "d");
    UnderFile directory = store.status(path("a/b")).orElseThrow();
    assertThat(directory.directory()).isTrue();
    assertThat(store.changed(directory)).isEmpty();
    assertThat(store.status(path("a/b/c")).orElseThrow().length()).isEqualTo(3);
    try (UnderListing listing = store.list(path("a"))) {
      for (UnderFile listed : listing.next()) {
        UnderFile asked = store.status(listed.path()).orElseThrow();
        assertThat(listed.differenceFrom(asked)).as("%s %s", listed, asked).isEmpty();
        assertThat(listed.tag()).isEqualTo(asked.tag());
      }
    }
    assertThat(store.status(path("x"))).isEmpty();
    assertThat(store.status(path("a/d/x"))).isEmpty();
    assertThat(store.status(UnderPath.ROOT).orElseThrow().directory()).isTrue();
    fails(Reason.MISSING, () -> list("x"));
    fails(Reason.INVALID, () -> list("a/d"));
    fails(Reason.INVALID, () -> store.open(directory));
  }

  @Test
  void shouldListPageByPage() throws Exception {
    int files = HadoopListing.PAGE + 1001;
    for (int i = 0; i < files; i++) {
      writeBelow("many/" + i, new byte[0]);
    }
    assertThat(new TreeSet<>(list("many"))).hasSize(files);
    try (UnderListing listing = store.list(path("many"))) {
      assertThat(listing.next()).hasSize(HadoopListing.PAGE);
    }
  }

  @Test
  void shouldTakeNamesThatUrisWouldEscape(SplittableRandom random) throws Exception {
    byte[] content = TestBytes.random(random, 10);
    List<String> names =
        List.of("a b", "%20", "a+b", "ü", "#?&=", "..a", "-", "a'\"<>", "\uD83D\uDC1F");
    for (String name : names) {
      CopyRecord record = copy("dir x/" + name, content);
      assertThat(store.verify(record)).isEqualTo(record.file());
      assertThat(read("dir x/" + name)).isEqualTo(content);
    }
    assertThat(list("dir x")).containsExactlyInAnyOrderElementsOf(names);
    for (String name : names) {
      assertThat(store.delete(path("dir x/" + name), false)).as(name).isTrue();
    }
    assertThat(namesBelow()).isEmpty();
  }

  @Test
  void shouldDeleteAndRenameAndMakeDirectories(SplittableRandom random) throws Exception {
    byte[] content = TestBytes.random(random, 2000);
    store.makeDirectories(path("a/b/c"));
    store.makeDirectories(path("a/b"));
    assertThat(store.status(path("a/b/c")).orElseThrow().directory()).isTrue();
    store.makeSharedDirectory(path("shared/d"));
    store.makeSharedDirectory(path("shared/d"));
    assertThat(store.status(path("shared/d")).orElseThrow().directory()).isTrue();
    assertThat(store.delete(path("shared"), true)).isTrue();
    CopyRecord record = copy("a/b/file", content);
    fails(Reason.EXISTS, () -> store.rename(path("a/b/file"), path("a/b/c")));
    fails(Reason.MISSING, () -> store.rename(path("a/x"), path("a/y")));
    UnderFile renamed = store.rename(path("a/b/file"), path("a/renamed"));
    assertThat(renamed).isEqualTo(store.status(path("a/renamed")).orElseThrow());
    assertThat(store.status(record.file().path())).isEmpty();
    assertThat(read("a/renamed")).isEqualTo(content);
    assertThat(store.rename(path("a"), path("z")).directory()).isTrue();
    assertThat(namesBelow()).containsExactly("z/renamed");
    assertThat(store.delete(path("z/none"), false)).isFalse();
    assertThatThrownBy(() -> store.delete(path("z"), false))
        .isInstanceOf(UnderStoreException.class);
    assertThat(store.delete(path("z"), true)).isTrue();
    assertThat(store.status(path("z"))).isEmpty();
    fails(Reason.INVALID, () -> store.delete(UnderPath.ROOT, true));
    fails(Reason.INVALID, () -> store.rename(UnderPath.ROOT, path("x")));
  }

  @Test
  void shouldSweepWhatDeadWritersLeft() throws Exception {
    String left = new TemporaryName("x", FID, 99).fileName();
    writeBelow("d/" + left, new byte[10]);
    writeBelow("d/e/" + left, new byte[10]);
    writeBelow("d/.x.copying", new byte[10]);
    assertThat(list("d")).containsExactlyInAnyOrder("e/", ".x.copying");
    assertThat(store.sweep(UnderPath.ROOT, Duration.ofDays(1))).isZero();
    assertThat(store.sweep(path("d/e"), Duration.ZERO)).isEqualTo(1);
    assertThat(store.sweep(UnderPath.ROOT, Duration.ZERO)).isEqualTo(1);
    assertThat(namesBelow()).containsExactly("d/.x.copying");
  }

  @Test
  void shouldChangeNothingWhereItIsMountedReadOnly() throws Exception {
    writeBelow("file", new byte[10]);
    use(mount("read.only=true"));
    UnderFile file = store.status(path("file")).orElseThrow();
    fails(Reason.READ_ONLY, () -> store.write(new CopyTarget(path("x"), FID)));
    fails(Reason.READ_ONLY, () -> store.delete(file.path(), false));
    fails(Reason.READ_ONLY, () -> store.rename(file.path(), path("x")));
    fails(Reason.READ_ONLY, () -> store.makeDirectories(path("x")));
    fails(Reason.READ_ONLY, () -> store.makeSharedDirectory(path("x")));
    fails(Reason.READ_ONLY, () -> store.sweep(UnderPath.ROOT, Duration.ZERO));
    assertThat(read("file")).hasSize(10);
    assertThat(namesBelow()).containsExactly("file");
  }

  @Test
  void shouldOpenNoMoreFilesThanItMay() throws Exception {
    use(mount("streams=2"));
    writeBelow("file", new byte[10]);
    UnderFile file = store.status(path("file")).orElseThrow();
    for (int round = 0; round < 3; round++) {
      UnderReader reader = store.open(file);
      CopyWriter writer = store.write(new CopyTarget(path("copy" + round), FID));
      fails(Reason.BUSY, () -> store.open(file));
      fails(Reason.BUSY, () -> store.write(new CopyTarget(path("x"), FID)));
      reader.close();
      fails(Reason.INVALID, () -> reader.read(0, ByteBuffer.allocate(1)));
      if (round == 1) {
        writer.commit();
      }
      writer.close();
    }
    fails(Reason.EXISTS, () -> copy("file", new byte[3]));
    store.open(file).close();
    try (UnderReader one = store.open(file);
        UnderReader two = store.open(file)) {
      assertThat(one.file()).isEqualTo(two.file());
    }
  }
}
