package dev.sailfish.lineage.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSDataOutputStreamBuilder;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How Hadoop's users say where bytes go and come from: for all files, and for one. */
@Timeout(60)
class MountedOptionsTest {
  private static final String CONTENT = "the content";
  private static final Path FILE = new Path("/m/file");

  @TempDir private java.nio.file.Path directory;
  private java.nio.file.Path below;
  private MountedStore store;

  @BeforeEach
  void start() throws IOException {
    below = Files.createDirectory(directory.resolve("below"));
    store = new MountedStore(directory);
    store.startWorker(1, "64m");
    store.client(true).mounts().add("/m " + below.toUri() + " sync=0s");
  }

  @AfterEach
  void stop() throws IOException {
    store.close();
  }

  private static void write(FSDataOutputStream stream) throws IOException {
    try (FSDataOutputStream out = stream) {
      out.write(CONTENT.getBytes(StandardCharsets.UTF_8));
    }
  }

  private static FSDataOutputStream create(FileSystem files, String word) throws IOException {
    FSDataOutputStreamBuilder<?, ?> file = files.createFile(FILE);
    file.must("sailfish.lineage.write", word);
    return file.build();
  }

  private static String read(FSDataInputStream stream) throws IOException {
    try (FSDataInputStream in = stream) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void shouldTakeTheConfiguration() throws IOException {
    try (FileSystem files =
        store.fileSystem(LineageKey.WRITE.name(), "bypass", LineageKey.READ.name(), "memory")) {
      write(files.create(FILE));
      assertThat(below.resolve("file")).hasContent(CONTENT);
      assertThatThrownBy(() -> read(files.open(FILE)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("not in memory");
    }
    assertThatThrownBy(() -> store.fileSystem(LineageKey.WRITE.name(), "both"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(LineageKey.WRITE.name())
        .hasMessageContaining("as.mounted");
  }

  @Test
  void shouldTakeTheOptionsOfOneFile()
      throws IOException, ExecutionException, InterruptedException {
    try (FileSystem files = store.fileSystem()) {
      write(create(files, "through"));
      assertThat(below.resolve("file")).hasContent(CONTENT);
      assertThat(read(files.openFile(FILE).opt("sailfish.lineage.read", "memory").build().get()))
          .isEqualTo(CONTENT);
      write(create(files, "bypass"));
      assertThat(read(files.openFile(FILE).must("sailfish.lineage.read", "direct").build().get()))
          .isEqualTo(CONTENT);
      assertThat(store.metric(1, "below_read_bytes_total")).isEqualTo(CONTENT.length());
      write(files.createFile(FILE).build());
      assertThat(read(files.open(FILE))).isEqualTo(CONTENT);
    }
  }

  @Test
  void shouldRefuseWordsThatMeanNothing() throws IOException {
    try (FileSystem files = store.fileSystem()) {
      assertThatThrownBy(() -> create(files, "both"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("as.mounted, memory, bypass or through");
      assertThatThrownBy(() -> files.createFile(FILE).must("unknown", "x").build())
          .isInstanceOf(IllegalArgumentException.class);
      write(files.create(FILE));
      assertThatThrownBy(
              () -> files.openFile(FILE).opt("sailfish.lineage.read", "both").build().get())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("as.mounted, memory, direct or mixed");
    }
  }
}
