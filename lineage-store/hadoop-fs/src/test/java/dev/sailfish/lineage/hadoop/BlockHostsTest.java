package dev.sailfish.lineage.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.NoSuchElementException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.StorageType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Where files are, as schedulers ask for it. */
@Timeout(120)
class BlockHostsTest {
  private static final Path DIRECTORY = new Path("/block-hosts-test");
  private static final Path FILE = new Path(DIRECTORY, "f");
  private static final int BLOCK = 64 << 10;

  private FileSystem fs;

  @BeforeEach
  void open() throws IOException {
    fs = FileSystem.newInstance(SharedStore.uri(), SharedStore.configuration());
  }

  @AfterEach
  void close() throws IOException {
    fs.delete(DIRECTORY, true);
    fs.close();
  }

  private static void write(FileSystem fs, Path path, int length) throws IOException {
    try (FSDataOutputStream out = fs.create(path, true, 4096, (short) 1, BLOCK)) {
      out.write(new byte[length]);
    }
  }

  @Test
  void blocksAreWithTheWriter() throws IOException {
    for (String host : SharedStore.HOSTS) {
      Configuration conf = SharedStore.configuration();
      conf.set(LineageKey.HOSTS.name(), host);
      try (FileSystem there = FileSystem.newInstance(SharedStore.uri(), conf)) {
        write(there, FILE, 2 * BLOCK + 5);
      }
      BlockLocation[] blocks = fs.getFileBlockLocations(FILE, 0, Long.MAX_VALUE);
      assertThat(blocks).hasSize(3);
      for (int i = 0; i < 3; i++) {
        assertThat(blocks[i].getHosts()).containsExactly(host);
        assertThat(blocks[i].getCachedHosts()).containsExactly(host);
        assertThat(blocks[i].getNames()[0]).startsWith(host + ":");
        assertThat(blocks[i].getStorageTypes()).containsExactly(StorageType.RAM_DISK);
        assertThat(blocks[i].getOffset()).isEqualTo(i * BLOCK);
        assertThat(blocks[i].getLength()).isEqualTo(i < 2 ? BLOCK : 5);
        assertThat(blocks[i].isCorrupt()).isFalse();
      }
    }
  }

  @Test
  void givesTheBlocksOfAPart() throws IOException {
    write(fs, FILE, 3 * BLOCK);
    assertThat(offsets(0, 1)).containsExactly(0L);
    assertThat(offsets(BLOCK - 1, 1)).containsExactly(0L);
    assertThat(offsets(BLOCK - 1, 2)).containsExactly(0L, (long) BLOCK);
    assertThat(offsets(BLOCK, 2 * BLOCK)).containsExactly((long) BLOCK, 2L * BLOCK);
    assertThat(offsets(3 * BLOCK - 1, Long.MAX_VALUE)).containsExactly(2L * BLOCK);
    assertThat(offsets(3 * BLOCK, 1)).isEmpty();
    assertThat(offsets(5, 0)).isEmpty();
    assertThatThrownBy(() -> offsets(-1, 1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> offsets(0, -1)).isInstanceOf(IllegalArgumentException.class);
    assertThat(fs.getFileBlockLocations(DIRECTORY, 0, 1)).isEmpty();
    assertThat(fs.getFileBlockLocations((FileStatus) null, 0, 1)).isNull();
  }

  private Long[] offsets(long start, long length) throws IOException {
    BlockLocation[] blocks = fs.getFileBlockLocations(FILE, start, length);
    Long[] offsets = new Long[blocks.length];
    for (int i = 0; i < blocks.length; i++) {
      offsets[i] = blocks[i].getOffset();
    }
    return offsets;
  }

  @Test
  void asksAsOftenAsTheMasterCutsItShort() throws IOException {
    write(fs, FILE, 1_005 * BLOCK);
    BlockLocation[] blocks = fs.getFileBlockLocations(FILE, BLOCK, Long.MAX_VALUE);
    assertThat(blocks).hasSize(1_004);
    for (int i = 0; i < blocks.length; i++) {
      assertThat(blocks[i].getOffset()).isEqualTo((i + 1L) * BLOCK);
      assertThat(blocks[i].getHosts()).hasSize(1);
    }
  }

  @Test
  void looksAgainWhenAnotherFileIsThere() throws IOException {
    write(fs, FILE, 3 * BLOCK);
    FileStatus status = fs.getFileStatus(FILE);
    try (FSDataOutputStream out = fs.create(FILE, true, 4096, (short) 1, 2 * BLOCK)) {
      out.write(new byte[3 * BLOCK]);
    }
    BlockLocation[] blocks = fs.getFileBlockLocations(status, 2 * BLOCK, BLOCK);
    assertThat(blocks).hasSize(1);
    assertThat(blocks[0].getOffset()).isEqualTo(2 * BLOCK);
    assertThat(blocks[0].getLength()).isEqualTo(BLOCK);
  }

  @Test
  void listingsSayIt() throws IOException {
    write(fs, FILE, BLOCK);
    write(fs, new Path(DIRECTORY, "large"), 51 * BLOCK);
    write(fs, new Path(DIRECTORY, "d/g"), 2 * BLOCK);
    fs.create(new Path(DIRECTORY, "empty")).close();
    for (int i = 0; i < 300; i++) {
      write(fs, new Path(DIRECTORY, "e/" + i), 1);
    }
    RemoteIterator<LocatedFileStatus> files = fs.listFiles(DIRECTORY, true);
    int blocks = 0;
    while (files.hasNext()) {
      LocatedFileStatus file = files.next();
      assertThat(new FileStatus(file)).isEqualTo(fs.getFileStatus(file.getPath()));
      blocks += assertLocated(file);
    }
    assertThat(blocks).isEqualTo(1 + 51 + 2 + 300);
    assertThatThrownBy(files::next).isInstanceOf(NoSuchElementException.class);
    RemoteIterator<LocatedFileStatus> one = fs.listLocatedStatus(FILE);
    assertThat(assertLocated(one.next())).isEqualTo(1);
    assertThat(one.hasNext()).isFalse();
  }

  @Test
  void listingsOfAContextSayItToo() throws IOException {
    write(fs, FILE, 3 * BLOCK);
    FileContext context = FileContext.getFileContext(fs.getUri(), fs.getConf());
    RemoteIterator<LocatedFileStatus> files = context.listLocatedStatus(DIRECTORY);
    assertThat(assertLocated(files.next())).isEqualTo(3);
    assertThat(files.hasNext()).isFalse();
  }

  private int assertLocated(LocatedFileStatus file) throws IOException {
    BlockLocation[] blocks = file.getBlockLocations();
    assertThat(Arrays.toString(blocks))
        .isEqualTo(Arrays.toString(fs.getFileBlockLocations(file, 0, file.getLen())));
    return blocks.length;
  }
}
