package dev.sailfish.lineage.hadoop.qfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.testkit.Seeded;
import java.io.EOFException;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.ContentSummary;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.fs.Options.Rename;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

/** What Hadoop's contract does not ask. */
@Seeded
@Timeout(120)
class QfsFileSystemTest {
  private static final TestedQfs QFS = TestedQfs.ours();
  private static final int CHUNK = 64 << 20;

  private FileSystem files;
  private Path directory;

  @BeforeEach
  void open(TestInfo test) throws IOException {
    files = FileSystem.newInstance(QFS.uri(), QFS.configuration());
    directory = new Path("/" + test.getTestMethod().orElseThrow().getName());
    files.mkdirs(directory);
  }

  @AfterEach
  void close() throws IOException {
    files.delete(directory, true);
    files.close();
  }

  private Path write(String name, byte[] bytes) throws IOException {
    Path path = new Path(directory, name);
    try (FSDataOutputStream out = files.create(path, true)) {
      out.write(bytes);
    }
    return path;
  }

  private static byte[] bytes(SplittableRandom random, int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return bytes;
  }

  private FileSystem as(String user, String... groups) throws Exception {
    UserGroupInformation other = UserGroupInformation.createUserForTesting(user, groups);
    return other.doAs(
        (PrivilegedExceptionAction<FileSystem>)
            () -> FileSystem.newInstance(QFS.uri(), QFS.configuration()));
  }

  // ---- bytes

  /** Streams and positioned reads in any order, against the array. */
  @Test
  void everyWayOfReadingShouldGiveTheSameBytes(SplittableRandom random) throws Exception {
    byte[] all = bytes(random, 700_000 + random.nextInt(300_000));
    Path path = write("file", all);
    try (FSDataInputStream in = files.open(path)) {
      for (int i = 0; i < 200; i++) {
        int wanted = 1 + random.nextInt(random.nextBoolean() ? 100 : 200_000);
        if (random.nextInt(3) == 0) {
          in.seek(random.nextInt(all.length + 1));
        }
        int position = Math.toIntExact(in.getPos());
        ByteBuffer into =
            random.nextBoolean() ? ByteBuffer.allocate(wanted) : ByteBuffer.allocateDirect(wanted);
        boolean isPositioned = random.nextInt(4) == 0;
        int count = isPositioned ? in.read((long) position, into) : in.read(into);
        if (position == all.length) {
          assertThat(count).isEqualTo(-1);
          in.seek(0);
          continue;
        }
        assertThat(count).isPositive();
        byte[] got = new byte[count];
        into.flip().get(got);
        assertThat(got).isEqualTo(Arrays.copyOfRange(all, position, position + count));
        assertThat(in.getPos()).isEqualTo(isPositioned ? position : position + count);
      }
      assertThatThrownBy(() -> in.seek(all.length + 1)).isInstanceOf(EOFException.class);
    }
  }

  @Test
  void appendedBytesShouldFollow(SplittableRandom random) throws Exception {
    byte[] first = bytes(random, 1 + random.nextInt(200_000));
    byte[] second = bytes(random, 1 + random.nextInt(200_000));
    Path path = write("file", first);
    try (FSDataOutputStream out = files.append(path)) {
      assertThat(out.getPos()).isEqualTo(first.length);
      out.write(second);
    }
    byte[] all = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, all, first.length, second.length);
    byte[] got = new byte[all.length];
    try (FSDataInputStream in = files.open(path)) {
      in.readFully(0, got);
      in.seek(all.length);
      assertThat(in.read()).isEqualTo(-1);
    }
    assertThat(got).isEqualTo(all);
  }

  @Test
  void shouldTellTheHostsOfEachChunk() throws Exception {
    Path path = write("file", new byte[CHUNK + 10]);
    FileStatus status = files.getFileStatus(path);
    assertThat(status.getLen()).isEqualTo(CHUNK + 10);
    assertThat(status.getBlockSize()).isEqualTo(CHUNK);
    assertThat(status.getReplication()).isEqualTo((short) 3);
    BlockLocation[] all = files.getFileBlockLocations(status, 0, Long.MAX_VALUE);
    assertThat(all).hasSize(2);
    assertThat(all[0].getHosts()).hasSize(3).containsOnly("127.0.0.1");
    assertThat(all[0].getLength()).isEqualTo(CHUNK);
    assertThat(all[1].getOffset()).isEqualTo(CHUNK);
    assertThat(all[1].getLength()).isEqualTo(10);
    assertThat(files.getFileBlockLocations(status, CHUNK, 1)).hasSize(1);
    assertThat(files.getFileBlockLocations(status, CHUNK + 10, 1)).isEmpty();
  }

  // ---- names

  @Test
  void shouldListMoreThanAPageAndDeleteIt() throws Exception {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < 1_100; i++) {
      names.add("entry-%04d".formatted(i));
      files.create(new Path(directory, names.get(i))).close();
    }
    RemoteIterator<FileStatus> listed = files.listStatusIterator(directory);
    List<String> got = new ArrayList<>();
    while (listed.hasNext()) {
      got.add(listed.next().getPath().getName());
    }
    assertThat(got).containsExactlyInAnyOrderElementsOf(names);
    assertThat(files.delete(directory, true)).isTrue();
    assertThat(files.exists(directory)).isFalse();
  }

  /** The metaserver does not know where to go on behind a name that is gone. */
  @Test
  void aListingShouldGoOnWhenWhatItGaveLastIsRemoved() throws Exception {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < 1_100; i++) {
      names.add("entry-%04d".formatted(i));
      files.mkdirs(new Path(directory, names.get(i)));
    }
    RemoteIterator<FileStatus> listed = files.listStatusIterator(directory);
    List<String> got = new ArrayList<>();
    while (listed.hasNext()) {
      Path path = listed.next().getPath();
      got.add(path.getName());
      if (got.size() > 900 && got.size() < 1_000) {
        files.delete(path, false);
      }
    }
    assertThat(got).containsExactlyInAnyOrderElementsOf(names);
  }

  @Test
  void shouldKeepUnusualNames() throws Exception {
    List<String> names = List.of("a b", "a:b", "a%20b", "ä€", "-", "~a", "a+b&c=d");
    for (String name : names) {
      files.create(new Path(directory.toUri().getScheme(), null, directory + "/" + name)).close();
    }
    assertThat(Arrays.stream(files.listStatus(directory)).map(status -> status.getPath().getName()))
        .containsExactlyInAnyOrderElementsOf(names);
    for (FileStatus status : files.listStatus(directory)) {
      assertThat(files.getFileStatus(status.getPath()).isFile()).isTrue();
    }
    for (String name : List.of("a\tb", "a\nb", " a", "a ")) {
      Path path = new Path(directory.toUri().getScheme(), null, directory + "/" + name + "/b");
      assertThatThrownBy(() -> files.create(path))
          .isInstanceOf(PathIOException.class)
          .hasMessageContaining("QFS");
    }
  }

  @Test
  void aRenameShouldReplaceOnlyWhenItIsTold() throws Exception {
    Path from = write("from", new byte[] {1});
    Path to = write("to", new byte[] {2, 3});
    assertThat(files.rename(from, to)).isFalse();
    FileContext context = FileContext.getFileContext(QFS.uri(), QFS.configuration());
    assertThatThrownBy(() -> context.rename(from, to))
        .isInstanceOf(FileAlreadyExistsException.class);
    context.rename(from, to, Rename.OVERWRITE);
    assertThat(files.exists(from)).isFalse();
    assertThat(files.getFileStatus(to).getLen()).isEqualTo(1);
    assertThat(files.rename(directory, new Path(directory, "below"))).isFalse();
  }

  @Test
  void aTagShouldTellVersionsApartAndSurviveARename() throws Exception {
    Path path = write("file", new byte[] {1});
    String first = ((EtagSource) files.getFileStatus(path)).getEtag();
    Path moved = new Path(directory, "moved");
    files.rename(path, moved);
    assertThat(((EtagSource) files.getFileStatus(moved)).getEtag()).isEqualTo(first);
    write("moved", new byte[] {2});
    assertThat(((EtagSource) files.getFileStatus(moved)).getEtag()).isNotEqualTo(first);
  }

  @Test
  void shouldSumUpADirectory() throws Exception {
    files.mkdirs(new Path(directory, "a/b"));
    write("a/b/one", new byte[1_000]);
    write("two", new byte[70_000]);
    ContentSummary summary = files.getContentSummary(directory);
    assertThat(summary.getLength()).isEqualTo(71_000);
    assertThat(summary.getFileCount()).isEqualTo(2);
    assertThat(summary.getDirectoryCount()).isEqualTo(3);
  }

  // ---- users

  @Test
  void shouldKeepOwnersAsNumbersAndRefuseOthers() throws Exception {
    Path path = write("file", new byte[] {1});
    files.setOwner(path, "ordinary", "users");
    files.setPermission(path, new FsPermission((short) 0640));
    FileStatus status = files.getFileStatus(path);
    assertThat(status.getOwner()).isEqualTo("ordinary");
    assertThat(status.getGroup()).isEqualTo("users");
    assertThat(status.getPermission().toShort()).isEqualTo((short) 0640);
    files.setOwner(path, null, "12345");
    assertThat(files.getFileStatus(path).getGroup()).isEqualTo("12345");
    assertThat(files.getFileStatus(path).getOwner()).isEqualTo("ordinary");
    assertThatThrownBy(() -> files.setOwner(path, "nobody-knows-me", null))
        .hasMessageContaining("sailfish.qfs.users");
  }

  @Test
  void anotherUserShouldMakeFilesOnlyWhereItMay() throws Exception {
    try (FileSystem others = as("ordinary", "users")) {
      Path path = new Path(directory, "file");
      assertThatThrownBy(() -> others.create(path).close())
          .isInstanceOf(AccessControlException.class);
      files.setPermission(directory, new FsPermission((short) 0777));
      others.create(path).close();
      assertThat(others.getFileStatus(path).getOwner()).isEqualTo("ordinary");
      others.setPermission(path, new FsPermission((short) 0400));
      others.access(path, FsAction.READ);
      assertThatThrownBy(() -> others.access(path, FsAction.WRITE))
          .isInstanceOf(AccessControlException.class);
      files.access(path, FsAction.WRITE);
    }
  }

  @Test
  void anotherUserShouldListOnlyWhatItMayReadAndSearch() throws Exception {
    Path path = write("file", new byte[] {1});
    try (FileSystem others = as("ordinary", "users")) {
      assertThat(others.listStatus(directory)).hasSize(1);
      for (int mode : new int[] {0733, 0766}) {
        files.setPermission(directory, new FsPermission((short) mode));
        assertThatThrownBy(() -> others.listStatus(directory))
            .isInstanceOf(AccessControlException.class);
      }
      assertThatThrownBy(() -> others.getFileStatus(path))
          .isInstanceOf(AccessControlException.class);
      assertThatThrownBy(() -> others.open(path)).isInstanceOf(AccessControlException.class);
    }
  }

  @Test
  void aUserWithoutANumberShouldBeRefused() {
    assertThatThrownBy(() -> as("nobody-knows-me"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("'nobody-knows-me' has none")
        .hasMessageContaining("sailfish.qfs.users");
  }

  // ---- the file system

  @Test
  void aNameShouldStandForItsMetaservers() throws Exception {
    Configuration conf = QFS.configuration();
    conf.set("sailfish.qfs.metaservers.archive", QFS.uri().getAuthority());
    Path path = write("file", new byte[] {1});
    try (FileSystem named = FileSystem.newInstance(URI.create("qfs://archive/"), conf)) {
      assertThat(named.getFileStatus(new Path("qfs://archive" + path)).getLen()).isEqualTo(1);
    }
    conf.set("fs.defaultFS", "file:///");
    assertThatThrownBy(() -> FileSystem.newInstance(URI.create("qfs:///"), conf))
        .hasMessageContaining("sailfish.qfs.metaservers");
    conf.set("sailfish.qfs.metaservers", QFS.uri().getAuthority());
    try (FileSystem unnamed = FileSystem.newInstance(URI.create("qfs:///"), conf)) {
      assertThat(unnamed.exists(path)).isTrue();
    }
  }

  @Test
  void aWrongValueShouldBeNamed() {
    Configuration conf = QFS.configuration();
    conf.set("sailfish.qfs.replication", "0");
    assertThatThrownBy(() -> FileSystem.newInstance(QFS.uri(), conf))
        .hasMessageContaining("sailfish.qfs.replication=0");
  }

  @Test
  void aClosedFileSystemShouldSaySo() throws Exception {
    FileSystem other = FileSystem.newInstance(QFS.uri(), QFS.configuration());
    other.close();
    assertThatThrownBy(() -> other.getFileStatus(directory))
        .hasMessageContaining("file system is closed");
  }

  @Test
  void aCopyToAndFromTheLocalFileSystemShouldBeTheSame(SplittableRandom random) throws Exception {
    byte[] all = bytes(random, 300_000);
    Path path = write("file", all);
    Path copy = new Path(directory, "copy");
    assertThat(FileUtil.copy(files, path, files, copy, false, files.getConf())).isTrue();
    byte[] got = new byte[all.length];
    try (FSDataInputStream in = files.open(copy)) {
      in.readFully(got);
    }
    assertThat(got).isEqualTo(all);
  }
}
