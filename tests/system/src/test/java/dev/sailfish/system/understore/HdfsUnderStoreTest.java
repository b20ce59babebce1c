package dev.sailfish.system.understore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.lineage.understore.CopyKind;
import dev.sailfish.lineage.understore.CopyRecord;
import dev.sailfish.lineage.understore.CopyTarget;
import dev.sailfish.lineage.understore.CopyWriter;
import dev.sailfish.lineage.understore.UnderFile;
import dev.sailfish.lineage.understore.UnderListing;
import dev.sailfish.lineage.understore.UnderPath;
import dev.sailfish.lineage.understore.UnderReader;
import dev.sailfish.lineage.understore.UnderStore;
import dev.sailfish.lineage.understore.UnderStoreException;
import dev.sailfish.lineage.understore.UnderStoreException.Reason;
import dev.sailfish.lineage.understore.hadoop.HadoopMount;
import dev.sailfish.lineage.understore.mount.Mount;
import dev.sailfish.system.programs.HdfsCluster;
import dev.sailfish.testkit.ChildJvm;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The under store on HDFS, with its daemons as processes. */
@Seeded
@Timeout(180)
class HdfsUnderStoreTest {
  private static final int BUFFER = 64 << 10;
  private static final long FID = 0x100000007L;

  @TempDir private static java.nio.file.Path temporary;
  private static HdfsCluster hdfs;
  private static FileSystem others;

  private Path root;
  private HadoopMount mount;
  private UnderStore store;

  @BeforeAll
  static void start() throws Exception {
    hdfs = HdfsCluster.start(temporary.resolve("hdfs"));
    others = FileSystem.newInstance(URI.create(hdfs.address()), new Configuration());
  }

  @AfterAll
  static void stop() throws Exception {
    others.close();
    HdfsCluster.stop(hdfs);
  }

  @BeforeEach
  void mount(TestInfo test) throws Exception {
    root = new Path("/" + test.getTestMethod().orElseThrow().getName());
    others.mkdirs(root);
    mount = new HadoopMount(mount(""), System::nanoTime);
    store = mount.as(System.getProperty("user.name"));
  }

  private Mount mount(String options) {
    return Mount.parse("/warehouse " + hdfs.address() + root + " buffer=64k threads=2" + options);
  }

  @AfterEach
  void unmount() {
    store.close();
    mount.close();
  }

  private static UnderPath path(String text) throws UnderStoreException {
    return UnderPath.of(text);
  }

  private static void fails(Reason reason, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            UnderStoreException.class,
            e -> assertThat(e.reason()).as(e.getMessage()).isEqualTo(reason));
  }

  private CopyRecord copy(UnderStore as, CopyTarget target, byte[] content) throws IOException {
    try (CopyWriter writer = as.write(target)) {
      writer.write(ByteBuffer.wrap(content));
      return writer.commit();
    }
  }

  private void writeBelow(String name, byte[] content) throws IOException {
    try (FSDataOutputStream out = others.create(new Path(root, name), true)) {
      out.write(content);
    }
  }

  private byte[] read(String name) throws IOException {
    UnderFile file = store.status(path(name)).orElseThrow();
    try (UnderReader reader = store.open(file)) {
      ByteBuffer all = ByteBuffer.allocate(Math.toIntExact(file.length()));
      reader.read(0, all);
      reader.requireUnchanged();
      return all.array();
    }
  }

  private List<String> namesBelow(Path directory) throws IOException {
    return Arrays.stream(others.listStatus(directory))
        .map(status -> status.getPath().getName())
        .toList();
  }

  @Test
  void shouldReadBackWhatWasCopied(SplittableRandom random) throws Exception {
    for (int length : new int[] {0, 1, BUFFER, 5 * BUFFER + random.nextInt(BUFFER)}) {
      byte[] content = TestBytes.random(random, length);
      CopyRecord record;
      try (CopyWriter writer = store.write(new CopyTarget(path("d/" + length), FID))) {
        writer.write(ByteBuffer.wrap(content));
        assertThat(store.status(path("d/" + length))).isEmpty();
        assertThat(store.list(path("d")).next())
            .noneMatch(file -> file.path().name().startsWith("."));
        assertThat(store.sweep(UnderPath.ROOT, Duration.ZERO)).as("of a living writer").isZero();
        record = writer.commit();
      }
      assertThat(record.kind()).isEqualTo(CopyKind.RENAMED);
      assertThat(record.file().tag()).as("an inode").isNotEmpty();
      assertThat(store.status(path("d/" + length))).contains(record.file());
      assertThat(store.verify(record)).isEqualTo(record.file());
      assertThat(read("d/" + length)).isEqualTo(content);
    }
    assertThat(namesBelow(new Path(root, "d"))).hasSize(4);
  }

  @Test
  void shouldReplaceInOneStepTheFileOfTheTarget(SplittableRandom random) throws Exception {
    writeBelow("name", TestBytes.random(random, 1000));
    byte[] content = TestBytes.random(random, 1000);
    fails(Reason.EXISTS, () -> copy(store, new CopyTarget(path("name"), FID), content));
    Optional<UnderFile> recorded = store.status(path("name"));
    CopyTarget target = new CopyTarget(path("name"), FID, recorded);
    CopyRecord record = copy(store, target, content);
    assertThat(read("name")).isEqualTo(content);
    assertThat(copy(store, target, content)).as("again").isEqualTo(record);
    fails(Reason.CHANGED, () -> copy(store, target, new byte[1000]));
    fails(Reason.EXISTS, () -> copy(store, new CopyTarget(path("name"), FID), new byte[1000]));
    assertThat(namesBelow(root)).containsExactly("name");
  }

  /** Same length, same time: another inode. */
  @Test
  void shouldNoticeAFileThatIsAnotherOne(SplittableRandom random) throws Exception {
    byte[] content = TestBytes.random(random, 3 * BUFFER);
    writeBelow("file", content);
    UnderFile recorded = store.status(path("file")).orElseThrow();
    try (UnderListing listing = store.list(UnderPath.ROOT)) {
      assertThat(listing.next()).containsExactly(recorded);
    }
    Path file = new Path(root, "file");
    FileStatus before = others.getFileStatus(file);
    try (UnderReader reader = store.open(recorded)) {
      others.delete(file, false);
      writeBelow("file", TestBytes.random(random, 3 * BUFFER));
      others.setTimes(file, before.getModificationTime(), -1);
      assertThat(others.getFileStatus(file).getModificationTime())
          .isEqualTo(before.getModificationTime());
      fails(Reason.CHANGED, reader::requireUnchanged);
    }
    assertThat(store.changed(recorded))
        .hasValueSatisfying(difference -> assertThat(difference).contains("tag="));
    fails(Reason.CHANGED, () -> store.open(recorded));
  }

  @Test
  void shouldListPageByPage() throws Exception {
    int files = 1500;
    for (int i = 0; i < files; i++) {
      others.mkdirs(new Path(root, "many/" + i));
    }
    TreeSet<UnderPath> found = new TreeSet<>();
    try (UnderListing listing = store.list(path("many"))) {
      for (List<UnderFile> page = listing.next(); !page.isEmpty(); page = listing.next()) {
        assertThat(page.size()).isLessThanOrEqualTo(1000);
        page.forEach(entry -> assertThat(found.add(entry.path())).isTrue());
      }
    }
    assertThat(found).hasSize(files);
    UnderFile renamed = store.rename(path("many"), path("others"));
    assertThat(renamed.directory()).isTrue();
    assertThat(store.delete(path("others"), true)).isTrue();
    fails(Reason.MISSING, () -> store.list(path("many")).next());
  }

  @Test
  void shouldWriteAsTheUserWithTheBlocksOfTheMount() throws Exception {
    others.setOwner(root, "alice", "research");
    try (HadoopMount large = new HadoopMount(mount(" block.size=8m"), System::nanoTime);
        UnderStore alice = large.as("alice");
        UnderStore bob = large.as("bob")) {
      CopyRecord record = copy(alice, new CopyTarget(path("file"), FID), new byte[10]);
      FileStatus status = others.getFileStatus(new Path(root, "file"));
      assertThat(status.getOwner()).isEqualTo("alice");
      assertThat(status.getBlockSize()).isEqualTo(8 << 20);
      assertThat(bob.verify(record)).isEqualTo(record.file());
      fails(Reason.DENIED, () -> bob.write(new CopyTarget(path("other"), FID)));
      fails(Reason.DENIED, () -> bob.delete(path("file"), false));
    }
    assertThat(namesBelow(root)).containsExactly("file");
  }

  @Test
  void shouldShowNothingOfAWriterThatWasKilled() throws Exception {
    Process writer =
        new ProcessBuilder(
                ChildJvm.command(HdfsCopyHolder.class, List.of("-Xmx256m"), mount("").text()))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (var out = writer.inputReader()) {
      assertThat(out.readLine()).isEqualTo("written");
    } finally {
      writer.destroyForcibly();
    }
    assertThat(writer.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(namesBelow(root)).singleElement().asString().matches("\\.name\\..*\\.copying");
    assertThat(store.status(path("name"))).isEmpty();
    assertThat(store.list(UnderPath.ROOT).next()).isEmpty();
    copy(store, new CopyTarget(path("name"), FID), new byte[10]);
    assertThat(store.sweep(UnderPath.ROOT, Duration.ofHours(1))).isZero();
    assertThat(store.sweep(UnderPath.ROOT, Duration.ZERO)).isEqualTo(1);
    assertThat(namesBelow(root)).containsExactly("name");
  }

  /** A NameNode that is there and does not answer. */
  @Test
  void shouldLetGoWhenTheNameNodeHangs(SplittableRandom random) throws Exception {
    byte[] content = TestBytes.random(random, 3 * BUFFER);
    writeBelow("file", content);
    try (HadoopMount quick = new HadoopMount(mount(" deadline=300ms"), System::nanoTime);
        UnderStore hurried = quick.as(System.getProperty("user.name"))) {
      await()
          .atMost(Duration.ofMinutes(1))
          .ignoreExceptions()
          .until(() -> hurried.status(path("file")).isPresent());
      hdfs.suspendNameNode(true);
      try {
        for (int i = 0; i < 5; i++) {
          assertThatThrownBy(() -> hurried.status(path("file")))
              .isInstanceOfSatisfying(
                  UnderStoreException.class,
                  e -> assertThat(e.reason()).isIn(Reason.TIMEOUT, Reason.BUSY))
              .hasMessageContaining("asking for file of " + "/warehouse");
        }
      } finally {
        hdfs.suspendNameNode(false);
      }
      await()
          .atMost(Duration.ofMinutes(1))
          .ignoreExceptions()
          .until(() -> hurried.status(path("file")).isPresent());
      assertThat(quick.usage().stuck()).isZero();
    }
    assertThat(read("file")).isEqualTo(content);
  }
}
