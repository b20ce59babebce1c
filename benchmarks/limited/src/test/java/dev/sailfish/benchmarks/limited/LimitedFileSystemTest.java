package dev.sailfish.benchmarks.limited;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.sailfish.lineage.understore.CopyKind;
import dev.sailfish.lineage.understore.CopyRecord;
import dev.sailfish.lineage.understore.CopyTarget;
import dev.sailfish.lineage.understore.CopyWriter;
import dev.sailfish.lineage.understore.UnderPath;
import dev.sailfish.lineage.understore.UnderReader;
import dev.sailfish.lineage.understore.UnderStore;
import dev.sailfish.lineage.understore.hadoop.HadoopMount;
import dev.sailfish.lineage.understore.mount.Mount;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Seeded
class LimitedFileSystemTest {
  private static final URI ROOT = URI.create("limited:///");
  private static final int RATE = 4 << 20;

  @TempDir private java.nio.file.Path directory;
  private final Configuration conf = new Configuration(false);
  private FileSystem files;

  @BeforeEach
  void open() throws Exception {
    conf.set(LinkKey.RATE, "4m");
    conf.set(LinkKey.BURST, "0");
    conf.set(LinkKey.LINK, directory.resolve("link").toString());
    files = FileSystem.newInstance(ROOT, conf);
  }

  @AfterEach
  void close() throws Exception {
    files.close();
  }

  private Path path(String name) {
    return new Path("limited://" + directory.resolve(name));
  }

  private void write(String name, byte[] content) throws Exception {
    try (FSDataOutputStream out = files.create(path(name))) {
      out.write(content);
      assertThat(out.hasCapability("hsync")).isTrue();
      out.hsync();
    }
  }

  private static double seconds(long startNs) {
    return (System.nanoTime() - startNs) / (double) TimeUnit.SECONDS.toNanos(1);
  }

  @Test
  void shouldTakeTheTimeOfTheLinkBothWays(SplittableRandom random) throws Exception {
    byte[] content = TestBytes.random(random, RATE / 2);
    long startNs = System.nanoTime();
    write("d/file", content);
    assertThat(seconds(startNs)).isGreaterThan(0.49);
    assertThat(directory.resolve("d/file")).hasBinaryContent(content);

    byte[] read = new byte[content.length];
    startNs = System.nanoTime();
    try (FSDataInputStream in = files.open(path("d/file"))) {
      in.readFully(read);
    }
    assertThat(seconds(startNs)).isGreaterThan(0.49);
    assertThat(read).isEqualTo(content);

    startNs = System.nanoTime();
    try (FSDataInputStream in = files.open(path("d/file"))) {
      in.readFully(content.length / 2, read, 0, content.length / 2);
    }
    assertThat(seconds(startNs)).as("a positioned read").isGreaterThan(0.24);
  }

  @Test
  void shouldNameItsFilesByItsScheme() throws Exception {
    write("d/file", new byte[3]);
    assertThat(files.listStatus(path("d"))[0].getPath()).isEqualTo(path("d/file"));
    assertThat(files.rename(path("d"), path("e"))).isTrue();
    FileStatus status = files.getFileStatus(path("e/file"));
    assertThat(status.getLen()).isEqualTo(3);
    assertThat(status.getOwner()).isEqualTo(System.getProperty("user.name"));
    assertThat(files.listStatus(path("e/file"))).containsExactly(status);
    assertThat(files.exists(path("d/file"))).isFalse();
    assertThat(files.delete(path("e"), true)).isTrue();
    assertThat(Files.exists(directory.resolve("e"))).isFalse();
  }

  @Test
  void shouldSayWhichKeyIsWrong() {
    Configuration wrong = new Configuration(conf);
    wrong.set(LinkKey.RATE, "fast");
    assertThatIOException()
        .isThrownBy(() -> FileSystem.newInstance(ROOT, wrong))
        .withMessageContaining(LinkKey.RATE)
        .withMessageContaining("fas");
    wrong.set(LinkKey.RATE, "0");
    assertThatIOException()
        .isThrownBy(() -> FileSystem.newInstance(ROOT, wrong))
        .withMessageContaining("0 bytes/s");
    assertThatIOException()
        .isThrownBy(() -> FileSystem.newInstance(URI.create("limited://host/"), conf))
        .withMessageContaining("limited:///");
  }

  /** The lineage store's second level, which is what it is for. */
  @Test
  void shouldBeMounted(SplittableRandom random) throws Exception {
    byte[] content = TestBytes.random(random, RATE / 4);
    String options =
        " rename=atomic hadoop.%s=4m hadoop.%s=0 hadoop.%s=%s"
            .formatted(LinkKey.RATE, LinkKey.BURST, LinkKey.LINK, directory.resolve("link"));
    Files.createDirectory(directory.resolve("below"));
    try (HadoopMount mount =
            new HadoopMount(Mount.parse("/slow " + path("below") + options), System::nanoTime);
        UnderStore store = mount.as(System.getProperty("user.name"))) {
      long startNs = System.nanoTime();
      CopyRecord record;
      try (CopyWriter writer = store.write(new CopyTarget(UnderPath.of("file"), 7))) {
        writer.write(ByteBuffer.wrap(content));
        record = writer.commit();
      }
      assertThat(record.kind()).isEqualTo(CopyKind.RENAMED);
      assertThat(seconds(startNs)).isGreaterThan(0.24);
      ByteBuffer read = ByteBuffer.allocate(content.length);
      try (UnderReader reader = store.open(store.status(UnderPath.of("file")).orElseThrow())) {
        reader.read(0, read);
      }
      assertThat(read.array()).isEqualTo(content);
    }
  }
}
