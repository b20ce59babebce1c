package dev.sailfish.lineage.qfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.lineage.qfs.QfsClient;
import dev.sailfish.lineage.qfs.QfsSettings;
import dev.sailfish.lineage.qfs.meta.CreateOptions;
import dev.sailfish.lineage.qfs.meta.DirectoryPage;
import dev.sailfish.lineage.qfs.meta.FileInfo;
import dev.sailfish.lineage.qfs.meta.Owner;
import dev.sailfish.lineage.qfs.read.QfsInput;
import dev.sailfish.lineage.qfs.read.Range;
import dev.sailfish.lineage.qfs.wire.QfsError;
import dev.sailfish.lineage.qfs.wire.QfsException;
import dev.sailfish.lineage.qfs.write.QfsOutput;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a client can do with a QFS that works, whichever it is. Leaves nothing there. */
@Seeded
@Timeout(120)
abstract class OperationsSuite {
  private static final CreateOptions TWO = new CreateOptions(2, 0644, false);
  private static final int CHUNK = 64 << 20;
  private static final int BLOCK = 64 << 10;

  private QfsClient client;
  private String home;

  /** Of a client of the server, for its superuser. */
  abstract QfsSettings settings();

  @BeforeEach
  final void makeHome(SplittableRandom random) throws IOException {
    client = QfsClient.connect(settings());
    home = "/sailfish-test-" + Long.toHexString(random.nextLong());
    client.meta().makeDirectory(home, 0755);
  }

  @AfterEach
  final void removeHome() throws IOException {
    removeTree(home);
    client.close();
  }

  private void removeTree(String path) throws IOException {
    for (FileInfo entry : client.meta().list(path, "", 10_000).entries()) {
      String below = path + "/" + entry.name();
      if (entry.name().equals(".") || entry.name().equals("..")) {
        continue;
      }
      if (entry.directory()) {
        removeTree(below);
      } else {
        client.meta().remove(below);
      }
    }
    client.meta().removeDirectory(path);
  }

  private String write(String name, byte[] bytes) throws IOException {
    String path = home + "/" + name;
    try (QfsOutput out = client.create(path, TWO)) {
      out.write(bytes, 0, bytes.length);
    }
    return path;
  }

  private byte[] read(String path) throws IOException {
    try (QfsInput in = client.open(path)) {
      return in.stream(0).readAllBytes();
    }
  }

  private static void assertRefused(QfsError error, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            QfsException.class, e -> assertThat(e.error()).as(e.getMessage()).isEqualTo(error));
  }

  @ParameterizedTest
  @ValueSource(
      ints = {0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 1_000_003, (4 << 20) - 1, 4 << 20, (9 << 20) + 17})
  void readsWhatItWroteOfAnySize(int size, SplittableRandom random) throws IOException {
    byte[] bytes = TestBytes.random(random, size);
    String path = write("file", bytes);
    assertThat(client.stat(path).size()).isEqualTo(size);
    assertThat(read(path)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(ints = {CHUNK - 1, CHUNK, CHUNK + 1, CHUNK + BLOCK + 5})
  void readsWhatItWroteAtTheEdgeOfAChunk(int size, SplittableRandom random) throws IOException {
    byte[] bytes = TestBytes.random(random, size);
    String path = write("large", bytes);
    assertThat(client.stat(path).size()).isEqualTo(size);
    assertThat(client.stat(path).chunks()).isEqualTo((size + CHUNK - 1) / CHUNK);
    assertThat(read(path)).isEqualTo(bytes);
    try (QfsInput in = client.open(path)) {
      ByteBuffer edge = ByteBuffer.allocateDirect(1000);
      in.readFully(size - 1000, edge);
      byte[] got = new byte[1000];
      edge.flip().get(got);
      assertThat(got).isEqualTo(Arrays.copyOfRange(bytes, size - 1000, size));
    }
  }

  @Test
  void readsAnyRangesInAnyOrder(SplittableRandom random) throws IOException {
    byte[] bytes = TestBytes.random(random, 3_000_000);
    String path = write("ranges", bytes);
    List<Range> ranges = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      int from = random.nextInt(bytes.length);
      int most = Math.min(400_000, bytes.length - from);
      ranges.add(new Range(from, TestBytes.skewedLength(random, most)));
    }
    try (QfsInput in = client.open(path)) {
      List<ByteBuffer> got = in.readRanges(ranges, ByteBuffer::allocate);
      for (int i = 0; i < ranges.size(); i++) {
        int from = (int) ranges.get(i).position();
        assertThat(got.get(i))
            .as("%s", ranges.get(i))
            .isEqualTo(ByteBuffer.wrap(bytes, from, ranges.get(i).length()));
      }
      assertThat(in.read(bytes.length, ByteBuffer.allocate(1))).isEqualTo(-1);
    }
  }

  @Test
  void writesInPiecesOfAnySizeWithSyncsBetween(SplittableRandom random) throws IOException {
    byte[] bytes = TestBytes.random(random, 5_000_000);
    String path = home + "/pieces";
    try (QfsOutput out = client.create(path, TWO)) {
      int done = 0;
      while (done < bytes.length) {
        int piece = Math.min(bytes.length - done, TestBytes.skewedLength(random, 700_000));
        out.write(bytes, done, piece);
        done += piece;
        if (random.nextInt(4) == 0) {
          out.sync();
        }
        assertThat(out.position()).isEqualTo(done);
      }
    }
    assertThat(read(path)).isEqualTo(bytes);
  }

  @Test
  void goesOnAtTheEndOfAFile(SplittableRandom random) throws IOException {
    byte[] bytes = TestBytes.random(random, 300_000);
    String path = write("longer", Arrays.copyOf(bytes, 100_000));
    try (QfsOutput out = client.append(path)) {
      out.write(bytes, 100_000, 200_000);
    }
    assertThat(client.stat(path).size()).isEqualTo(300_000);
    assertThat(read(path)).isEqualTo(bytes);
  }

  @Test
  void takesThePlaceOfAFileOnlyIfAskedTo(SplittableRandom random) throws IOException {
    String path = write("twice", TestBytes.random(random, 1000));
    assertRefused(QfsError.EEXIST, () -> client.create(path, TWO).close());
    try (QfsOutput out = client.create(path, new CreateOptions(1, 0600, true))) {
      out.write(7);
    }
    assertThat(read(path)).containsExactly(7);
    assertThat(client.stat(path).mode()).isEqualTo(0600);
    assertThat(client.stat(path).replication()).isEqualTo(1);
  }

  @Test
  void listsInPages() throws IOException {
    for (int i = 0; i < 25; i++) {
      client.meta().create(home + "/f" + i, TWO);
    }
    List<String> names = new ArrayList<>();
    String after = "";
    DirectoryPage page;
    do {
      page = client.meta().list(home, after, 7);
      page.entries().forEach(entry -> names.add(entry.name()));
      after = names.get(names.size() - 1);
    } while (page.more());
    names.removeAll(List.of(".", ".."));
    assertThat(names).hasSize(25).doesNotHaveDuplicates().contains("f0", "f24");
    assertThat(client.meta().stat(home).files()).isEqualTo(25);
  }

  @Test
  void keepsNamesOfAnyLetters() throws IOException {
    for (String name : List.of("a b", "ü€𝄞", "x:y", "-p", "a%20b", "n".repeat(200))) {
      String path = home + "/" + name;
      client.meta().create(path, TWO);
      assertThat(client.stat(path).name()).isEqualTo(name);
      assertThat(client.meta().list(home, "", 100).entries())
          .extracting(FileInfo::name)
          .contains(name);
      client.meta().remove(path);
    }
  }

  @Test
  void movesAndRemoves() throws IOException {
    String from = write("from", new byte[10]);
    String directory = home + "/d";
    client.meta().makeDirectory(directory, 0755);
    assertRefused(QfsError.EEXIST, () -> client.meta().makeDirectory(directory, 0755));
    client.meta().rename(from, directory + "/to", false);
    assertRefused(QfsError.ENOENT, () -> client.stat(from));
    String other = write("other", new byte[20]);
    assertRefused(QfsError.EEXIST, () -> client.meta().rename(other, directory + "/to", false));
    client.meta().rename(other, directory + "/to", true);
    assertThat(client.stat(directory + "/to").size()).isEqualTo(20);
    assertRefused(QfsError.ENOTEMPTY, () -> client.meta().removeDirectory(directory));
    assertRefused(QfsError.EISDIR, () -> client.meta().remove(directory));
    assertRefused(QfsError.EISDIR, () -> client.open(directory));
    assertRefused(QfsError.ENOENT, () -> client.meta().remove(home + "/none"));
    assertRefused(
        QfsError.EINVAL, () -> client.meta().rename(directory, directory + "/below", false));
  }

  @Test
  void changesAttributes() throws IOException {
    String path = write("attributes", new byte[10]);
    client.meta().setMode(path, 0640);
    client.meta().setOwner(path, 12, -1);
    client.meta().setModified(path, 1_234_567_890_123_456L);
    assertThat(client.meta().setReplication(path, 1)).isEqualTo(1);
    FileInfo info = client.stat(path);
    assertThat(info.mode()).isEqualTo(0640);
    assertThat(info.owner().user()).isEqualTo(12);
    assertThat(info.modifiedUs()).isEqualTo(1_234_567_890_123_456L);
    assertThat(info.replication()).isEqualTo(1);
    assertThat(info.directory()).isFalse();
    assertThat(info.striping()).isNull();
  }

  @Test
  void refusesDirectoriesThatMayNotBeReadOrSearched() throws IOException {
    String directory = home + "/closed";
    client.meta().makeDirectory(directory, 0755);
    write("closed/file", new byte[10]);
    try (QfsClient other = QfsClient.connect(settings().withOwner(new Owner(4321, 4321)))) {
      client.meta().setMode(directory, 0733);
      assertThat(other.stat(directory + "/file").size()).isEqualTo(10);
      assertThatThrownBy(() -> other.stat(directory + "/file/below"))
          .isInstanceOfSatisfying(
              QfsException.class, e -> assertThat(e.error()).isNotEqualTo(QfsError.EACCES));
      assertRefused(QfsError.EACCES, () -> other.meta().list(directory, "", 10));
      client.meta().setMode(directory, 0766);
      DirectoryPage names = other.meta().list(directory, "", 10);
      assertThat(names.entries()).extracting(FileInfo::name).containsExactly("file");
      assertThat(names.entries().get(0).id()).isEqualTo(FileInfo.UNKNOWN);
      assertRefused(QfsError.EACCES, () -> other.stat(directory + "/file"));
      assertRefused(QfsError.EACCES, () -> other.stat(directory + "/none"));
      assertRefused(QfsError.EACCES, () -> other.open(directory + "/file"));
      assertRefused(QfsError.EACCES, () -> other.meta().remove(directory + "/file"));
      assertRefused(
          QfsError.EACCES, () -> other.meta().rename(directory + "/file", home + "/moved", false));
      client.meta().setMode(directory, 0700);
      assertRefused(QfsError.EACCES, () -> other.meta().list(directory, "", 10));
    }
    assertThat(client.stat(directory + "/file").size()).isEqualTo(10);
  }

  @Test
  void truncatesToNothingAndMakesNothingLonger(SplittableRandom random) throws IOException {
    byte[] bytes = TestBytes.random(random, 1000);
    String path = write("cut", bytes);
    assertThatThrownBy(() -> client.meta().truncate(path, 200_000))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1000 bytes");
    assertThat(read(path)).isEqualTo(bytes);
    assertRefused(QfsError.EACCES, () -> client.meta().truncate(path, 500));
    client.meta().truncate(path, 0);
    assertThat(client.stat(path).size()).isZero();
    assertThat(read(path)).isEmpty();
  }

  @Test
  void tellsTheSizeOfAFileThatIsBeingWritten() throws IOException {
    String path = home + "/growing";
    try (QfsOutput out = client.create(path, TWO)) {
      out.write(new byte[100_000], 0, 100_000);
      out.sync();
      assertThat(client.stat(path).size()).isEqualTo(100_000);
    }
    assertThat(client.stat(path).size()).isEqualTo(100_000);
  }

  @Test
  void tellsWhereBytesAre() throws IOException {
    String path = write("where", new byte[100]);
    assertThat(client.locations(path, 0, 100)).hasSize(1);
    assertThat(client.locations(path, 0, 100).get(0).servers()).hasSize(2);
    assertThat(client.locations(path, CHUNK, 100)).isEmpty();
  }
}
