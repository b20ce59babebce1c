package dev.sailfish.lineage.understore.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.lineage.understore.CopyKind;
import dev.sailfish.lineage.understore.CopyTarget;
import dev.sailfish.lineage.understore.TemporaryName;
import dev.sailfish.lineage.understore.UnderFile;
import dev.sailfish.lineage.understore.UnderFile.Ownership;
import dev.sailfish.lineage.understore.UnderPath;
import dev.sailfish.lineage.understore.UnderStoreException.Reason;
import dev.sailfish.lineage.understore.mount.Mount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A local file system. */
class LocalUnderStoreTest extends UnderStoreContract {
  @TempDir private Path root;

  @Override
  Mount mount(String... options) {
    return Mount.parse("/data " + root.toUri() + " buffer=64k " + String.join(" ", options));
  }

  @Override
  void writeBelow(String path, byte[] content) throws IOException {
    Files.createDirectories(root.resolve(path).getParent());
    Files.write(root.resolve(path), content);
  }

  @Override
  List<String> namesBelow() throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      return all.filter(Files::isRegularFile)
          .map(file -> root.relativize(file).toString())
          .toList();
    }
  }

  @Override
  CopyKind kind() {
    return CopyKind.RENAMED;
  }

  @Test
  void shouldNoticeAFileOfTheSameLengthAndTime() throws Exception {
    writeBelow("file", new byte[10]);
    FileTime time = Files.getLastModifiedTime(root.resolve("file"));
    UnderFile recorded = store().status(path("file")).orElseThrow();
    writeBelow("other", new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    Files.setLastModifiedTime(root.resolve("other"), time);
    Files.move(root.resolve("other"), root.resolve("file"), StandardCopyOption.REPLACE_EXISTING);
    assertThat(store().changed(recorded))
        .hasValueSatisfying(difference -> assertThat(difference).contains("tag="));
  }

  /** Hadoop keeps checksums in a file beside it, which would belie the new content. */
  @Test
  void shouldReplaceAFileThatHadoopWroteWithItsChecksums() throws Exception {
    FileSystem local = FileSystem.getLocal(new Configuration());
    local.create(opened().at(path("file"))).close();
    assertThat(namesBelow()).containsExactlyInAnyOrder("file", ".file.crc");
    assertThat(list("")).containsExactly("file");
    UnderFile recorded = store().status(path("file")).orElseThrow();
    copy(new CopyTarget(path("file"), FID, Optional.of(recorded)), new byte[1000]);
    assertThat(namesBelow()).containsExactly("file");
    try (FSDataInputStream in = local.open(opened().at(path("file")))) {
      in.readFully(0, new byte[1000]);
    }
  }

  @Test
  void shouldSayWhoseAFileIs() throws Exception {
    writeBelow("file", new byte[10]);
    Files.setPosixFilePermissions(
        root.resolve("file"), PosixFilePermissions.fromString("rwxr-x-w-"));
    assertThat(store().status(path("file")).orElseThrow().ownership())
        .isEqualTo(
            new Ownership(
                Files.getOwner(root).getName(),
                Files.readAttributes(root, PosixFileAttributes.class).group().getName(),
                0752));
  }

  @Test
  void shouldFollowNoLinkOutOfTheMount(@TempDir Path outside) throws Exception {
    Files.write(outside.resolve("secret"), new byte[10]);
    writeBelow("d/inside", new byte[20]);
    Files.createSymbolicLink(root.resolve("out"), outside);
    Files.createSymbolicLink(root.resolve("secret"), outside.resolve("secret"));
    Files.createSymbolicLink(root.resolve("nowhere"), outside.resolve("x"));
    Files.createSymbolicLink(root.resolve("in"), root.resolve("d"));
    assertThat(list("")).containsExactlyInAnyOrder("d/", "in/");
    assertThat(read("in/inside")).hasSize(20);
    for (String path : List.of("out", "out/secret", "out/x", "secret")) {
      fails(Reason.DENIED, () -> store().status(path(path)));
      fails(Reason.DENIED, () -> copy(path, new byte[1]));
      fails(Reason.DENIED, () -> store().delete(path(path), true));
      fails(Reason.DENIED, () -> store().makeDirectories(path(path)));
      fails(Reason.DENIED, () -> store().rename(path("d/inside"), path(path)));
    }
    fails(Reason.DENIED, () -> store().list(path("out")).next());
    assertThat(store().status(path("nowhere"))).isEmpty();
    Files.write(outside.resolve(new TemporaryName("x", 1, 2).fileName()), new byte[1]);
    assertThat(store().sweep(UnderPath.ROOT, Duration.ZERO)).isZero();
    assertThat(outside).isDirectoryContaining(file -> file.endsWith("secret"));
  }

  @Test
  void shouldTakeANameOf255Bytes() throws Exception {
    String name = "n".repeat(255);
    assertThat(store().verify(copy(name, new byte[10])).path().name()).isEqualTo(name);
  }
}
