package dev.sailfish.lineage.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.StorageStatistics;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.permission.FsPermission;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What Hadoop's contract says nothing of, or leaves open. */
@Seeded
@Timeout(120)
class LineageFileSystemTest {
  private static final Path DIRECTORY = new Path("/file-system-test");
  private static final int BLOCK = 64 << 10;

  private FileSystem fs;

  @BeforeEach
  void open() throws IOException {
    fs = FileSystem.newInstance(SharedStore.uri(), SharedStore.configuration());
    fs.mkdirs(DIRECTORY);
  }

  @AfterEach
  void close() throws IOException {
    fs.close();
    try (FileSystem again = again()) {
      again.delete(DIRECTORY, true);
    }
  }

  private static FileSystem again() throws IOException {
    return FileSystem.newInstance(SharedStore.uri(), SharedStore.configuration());
  }

  private static Path path(String name) {
    return new Path(DIRECTORY, name);
  }

  private void write(Path path, byte[] content) throws IOException {
    try (FSDataOutputStream out = fs.create(path, true, 4096, (short) 1, BLOCK)) {
      out.write(content);
    }
  }

  private static byte[] content(Random random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  @Test
  void isFoundByItsScheme() throws IOException {
    assertThat(FileSystem.getFileSystemClass("lineage", new Configuration()))
        .isEqualTo(LineageFileSystem.class);
  }

  @Test
  void aFileIsSeenAtOnceAndReadWhenItIsClosed() throws IOException {
    Path path = path("f");
    try (FSDataOutputStream out = fs.create(path)) {
      out.write(new byte[10]);
      out.hflush();
      out.hsync();
      assertThat(out.hasCapability("hflush")).isFalse();
      assertThat(out.hasCapability(StreamCapabilities.HSYNC)).isFalse();
      assertThat(out.getPos()).isEqualTo(10);
      assertThat(fs.getFileStatus(path).getLen()).isZero();
      assertThat(fs.listStatus(DIRECTORY)).hasSize(1);
      assertThat(fs.getFileBlockLocations(path, 0, 10)).isEmpty();
      assertThatThrownBy(() -> fs.open(path))
          .isInstanceOf(FileNotFoundException.class)
          .hasMessageContaining("is being written");
    }
    assertThat(fs.getFileStatus(path).getLen()).isEqualTo(10);
    try (FSDataInputStream in = fs.open(path)) {
      assertThat(in.available()).isEqualTo(10);
    }
  }

  /** As Pig does, whose jobs have it in the default file system. */
  @Test
  void theWorkingDirectoryMayBeNamedByAnotherFileSystem() throws IOException {
    try (FileSystem own = again()) {
      own.setWorkingDirectory(new Path("file:///w"));
      assertThat(own.getWorkingDirectory()).isEqualTo(own.makeQualified(new Path("/w")));
      own.setWorkingDirectory(new Path("below"));
      assertThat(own.makeQualified(new Path("f")))
          .isEqualTo(own.makeQualified(new Path("/w/below/f")));
    }
  }

  @Test
  void nothingIsLeftOfAFileThatIsAborted() throws IOException {
    assertThat(fs.hasPathCapability(DIRECTORY, CommonPathCapabilities.ABORTABLE_STREAM)).isTrue();
    FSDataOutputStream out = fs.create(path("f"));
    assertThat(out.hasCapability(CommonPathCapabilities.ABORTABLE_STREAM)).isTrue();
    out.write(new byte[3 * BLOCK]);
    assertThat(out.abort().alreadyClosed()).isFalse();
    assertThat(out.abort().alreadyClosed()).isTrue();
    assertThat(fs.exists(path("f"))).isFalse();
    out.close();
    assertThat(fs.exists(path("f"))).isFalse();
  }

  @Test
  void aWriterIsToldThatItsFileWasDeleted() throws IOException {
    FSDataOutputStream out = fs.create(path("f"));
    out.write(1);
    fs.delete(path("f"), false);
    assertThatThrownBy(out::close).isInstanceOf(FileNotFoundException.class);
    out.close();
  }

  @Test
  void blocksHaveTheNextPowerOfTwo() throws IOException {
    long[][] sizes = {
      {1, 64 << 10}, {100_000, 128 << 10}, {1 << 20, 1 << 20}, {Long.MAX_VALUE, 1 << 30}
    };
    for (long[] size : sizes) {
      fs.create(path("f"), true, 4096, (short) 1, size[0]).close();
      assertThat(fs.getFileStatus(path("f")).getBlockSize()).isEqualTo(size[1]);
    }
    fs.create(path("default")).close();
    assertThat(fs.getDefaultBlockSize(DIRECTORY)).isEqualTo(64 << 20);
    assertThat(fs.getServerDefaults(DIRECTORY).getBlockSize()).isEqualTo(64 << 20);
    assertThat(fs.getFileStatus(path("default")).getBlockSize()).isEqualTo(64 << 20);
  }

  @Test
  void namesThatNobodyCanHaveAreRefused() throws IOException {
    String name = "n".repeat(10_000);
    assertThatThrownBy(() -> fs.create(path(name)))
        .isInstanceOf(PathIOException.class)
        .hasMessageContaining("longer than 8192");
    assertThatThrownBy(() -> fs.mkdirs(path("n".repeat(256))))
        .isInstanceOf(PathIOException.class)
        .hasMessageContaining("longer than 255 bytes");
    assertThatThrownBy(() -> fs.getFileStatus(path(name))).isInstanceOf(PathIOException.class);
    assertThatThrownBy(() -> fs.listStatus(path(name))).isInstanceOf(PathIOException.class);
    assertThatThrownBy(() -> fs.open(path(name))).isInstanceOf(PathIOException.class);
    assertThatThrownBy(() -> fs.delete(path(name), true)).isInstanceOf(PathIOException.class);
    assertThat(fs.rename(path(name), path("f"))).isFalse();
    assertThatThrownBy(() -> fs.create(new Path("/../f")))
        .isInstanceOf(PathIOException.class)
        .hasMessageContaining("has the name '..'");
    fs.create(path("n".repeat(255))).close();
    fs.create(new Path(DIRECTORY, "../" + DIRECTORY.getName() + "/x/../y")).close();
    assertThat(fs.exists(path("y"))).isTrue();
    assertThatThrownBy(() -> fs.exists(new Path("lineage://elsewhere/f")))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void namesOfAnyLetters() throws IOException {
    List<String> names = List.of("a:b", "a b", "a%20b", "a#b?c", "äöü", "\u6f22\u5b57", "\\", "*");
    for (String name : names) {
      Path path = new Path(null, null, DIRECTORY.toUri().getPath() + "/" + name);
      fs.create(path).close();
      assertThat(fs.getFileStatus(path).getPath().getName()).isEqualTo(name);
    }
    List<String> listed = new ArrayList<>();
    for (FileStatus status : fs.listStatus(DIRECTORY)) {
      listed.add(status.getPath().getName());
      assertThat(fs.getFileStatus(status.getPath())).isEqualTo(status);
    }
    assertThat(listed).containsExactlyInAnyOrderElementsOf(names);
  }

  @Test
  void listsDirectoriesPageByPage() throws IOException {
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 3_000; i++) {
      expected.add("d-%05d-%s".formatted(i, "n".repeat(200)));
      fs.mkdirs(path(expected.get(i)));
    }
    FileStatus[] all = fs.listStatus(DIRECTORY);
    assertThat(all).extracting(status -> status.getPath().getName()).isEqualTo(expected);
    RemoteIterator<FileStatus> entries = fs.listStatusIterator(DIRECTORY);
    for (int i = 0; i < 3_000; i++) {
      assertThat(entries.hasNext()).isTrue();
      Path next = entries.next().getPath();
      assertThat(next).isEqualTo(all[i].getPath());
      assertThat(fs.delete(next, false)).isTrue();
    }
    assertThat(entries.hasNext()).isFalse();
    assertThatThrownBy(entries::next).isInstanceOf(NoSuchElementException.class);
    assertThat(fs.listStatus(DIRECTORY)).isEmpty();
  }

  @Test
  void threadsReadOneStreamAtAnyPosition(Seed seed) throws Exception {
    byte[] content = content(seed.random(), 10 * BLOCK + 77);
    write(path("f"), content);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try (FSDataInputStream in = fs.open(path("f"))) {
      List<Future<?>> readers = new ArrayList<>();
      for (int reader = 0; reader < 4; reader++) {
        Random random = seed.derive("reader-" + reader).random();
        readers.add(
            threads.submit(
                () -> {
                  for (int i = 0; i < 200; i++) {
                    assertReadsAt(in, content, random);
                  }
                  return null;
                }));
      }
      byte[] stream = new byte[content.length];
      in.readFully(stream);
      assertThat(stream).isEqualTo(content);
      for (Future<?> reader : readers) {
        reader.get(60, TimeUnit.SECONDS);
      }
      assertThat(in.getPos()).isEqualTo(content.length);
    } finally {
      threads.shutdownNow();
    }
  }

  private static void assertReadsAt(FSDataInputStream in, byte[] content, Random random)
      throws IOException {
    int at = random.nextInt(content.length);
    int count = random.nextInt(Math.min(2 * BLOCK, content.length - at) + 1);
    byte[] read = new byte[count];
    if (random.nextBoolean()) {
      in.readFully(at, read);
    } else {
      ByteBuffer into =
          random.nextBoolean() ? ByteBuffer.allocate(count) : ByteBuffer.allocateDirect(count);
      in.readFully(at, into);
      into.flip().get(read);
    }
    assertThat(read).isEqualTo(Arrays.copyOfRange(content, at, at + count));
  }

  @Test
  void positionsOutsideAreRefused() throws IOException {
    write(path("f"), new byte[10]);
    try (FSDataInputStream in = fs.open(path("f"))) {
      assertThatThrownBy(() -> in.seek(-1)).isInstanceOf(EOFException.class);
      assertThatThrownBy(() -> in.seek(11)).isInstanceOf(EOFException.class);
      assertThatThrownBy(() -> in.readFully(5, ByteBuffer.allocate(6)))
          .isInstanceOf(EOFException.class);
      assertThat(in.read(10, new byte[1], 0, 1)).isEqualTo(-1);
      assertThat(in.hasCapability(StreamCapabilities.PREADBYTEBUFFER)).isTrue();
      assertThat(in.hasCapability(StreamCapabilities.HSYNC)).isFalse();
    }
  }

  @Test
  void bytesAreCounted() throws IOException {
    StorageStatistics statistics = FileSystem.getGlobalStorageStatistics().get("lineage");
    long read = statistics.getLong("bytesRead");
    long written = statistics.getLong("bytesWritten");
    write(path("f"), new byte[1000]);
    try (FSDataInputStream in = fs.open(path("f"))) {
      in.readFully(0, new byte[100]);
      assertThat(in.read()).isZero();
      assertThat(in.read(ByteBuffer.allocate(10))).isEqualTo(10);
    }
    assertThat(statistics.getLong("bytesRead") - read).isEqualTo(111);
    assertThat(statistics.getLong("bytesWritten") - written).isEqualTo(1000);
  }

  @Test
  void renamesAsOneChange() throws IOException {
    write(path("from/sub/f"), new byte[10]);
    assertThat(fs.rename(path("from"), path("to"))).isTrue();
    assertThat(fs.getFileStatus(path("to/sub/f")).getLen()).isEqualTo(10);
    fs.mkdirs(path("other"));
    assertThat(fs.rename(path("to"), path("other"))).isTrue();
    assertThat(fs.exists(path("other/to/sub/f"))).isTrue();
    assertThat(fs.rename(path("other"), path("other"))).isFalse();
    assertThat(fs.rename(path("other"), path("other/to/below"))).isFalse();
    assertThat(fs.rename(path("other/to/sub/f"), path("other/to/sub/f"))).isTrue();
    assertThat(fs.rename(path("missing"), path("x"))).isFalse();
    assertThat(fs.rename(path("other"), path("missing/x"))).isFalse();
    assertThat(fs.rename(new Path("/"), path("x"))).isFalse();
    write(path("f"), new byte[5]);
    assertThat(fs.rename(path("f"), path("other/to/sub/f"))).isFalse();
    assertThat(fs.rename(path("f"), path("other/to/sub"))).isFalse();
    assertThat(fs.rename(path("f"), path("f/below"))).isFalse();
    assertThat(fs.getFileStatus(path("f")).getLen()).isEqualTo(5);
  }

  @Test
  void aWriterGoesOnWhenItsFileIsRenamed() throws IOException {
    try (FSDataOutputStream out = fs.create(path("a/f"))) {
      out.write(new byte[10]);
      assertThat(fs.rename(path("a"), path("b"))).isTrue();
    }
    assertThat(fs.getFileStatus(path("b/f")).getLen()).isEqualTo(10);
  }

  @Test
  void directoriesAboveALockedOneAreOpenToTheirOwner() throws IOException {
    FsPermission mode = new FsPermission((short) 0500);
    fs.mkdirs(path("a/b"), mode);
    assertThat(fs.getFileStatus(path("a/b")).getPermission()).isEqualTo(mode);
    assertThat(fs.getFileStatus(path("a")).getPermission())
        .isEqualTo(new FsPermission((short) 0700));
  }

  @Test
  void createsOnlyWhereThatIsAskedFor() throws IOException {
    assertThatThrownBy(() -> fs.createFile(path("a/f")).build())
        .isInstanceOf(FileNotFoundException.class);
    fs.createFile(path("a/f")).recursive().overwrite(false).build().close();
    assertThatThrownBy(() -> fs.createFile(path("a/f")).overwrite(false).build())
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThatThrownBy(() -> fs.append(path("a/f")))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThat(fs.hasPathCapability(DIRECTORY, CommonPathCapabilities.FS_APPEND)).isFalse();
    assertThat(fs.hasPathCapability(DIRECTORY, CommonPathCapabilities.FS_PERMISSIONS)).isTrue();
  }

  @Test
  void keepsTimes() throws IOException {
    long before = System.currentTimeMillis();
    write(path("f"), new byte[1]);
    long after = System.currentTimeMillis();
    assertThat(fs.getFileStatus(path("f")).getModificationTime()).isBetween(before, after);
    assertThat(fs.getFileStatus(DIRECTORY).getModificationTime()).isBetween(before, after);
    fs.setTimes(path("f"), 4_711, 1);
    assertThat(fs.getFileStatus(path("f")).getModificationTime()).isEqualTo(4_711);
    fs.setTimes(path("f"), -1, 1);
    assertThat(fs.getFileStatus(path("f")).getModificationTime()).isEqualTo(4_711);
  }

  @Test
  void doesNothingWhenItIsClosed() throws IOException {
    FileSystem other = again();
    other.close();
    other.close();
    assertThatThrownBy(() -> other.getFileStatus(DIRECTORY))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("is closed");
    assertThatThrownBy(() -> other.open(path("f"))).hasMessageContaining("is closed");
  }
}
