package dev.sailfish.hadoop.warm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkingDirectoryTest {
  @TempDir private Path root;
  private Path work;
  private WorkingDirectory directory;

  @BeforeEach
  void localize() throws IOException {
    work = Files.createDirectory(root.resolve("work"));
    Path elsewhere = Files.createDirectory(root.resolve("elsewhere"));
    Files.writeString(elsewhere.resolve("data"), "data");
    Files.createSymbolicLink(work.resolve("cached"), elsewhere);
    Files.writeString(work.resolve("given"), "given");
    Files.writeString(work.resolve("job.xml"), "first");
    Files.createDirectory(work.resolve("tmp"));
    directory = new WorkingDirectory(work);
  }

  @Test
  void newFilesShouldGoAndLinksShouldNotBeFollowed() throws IOException {
    Files.createDirectories(work.resolve("new").resolve("below"));
    Files.writeString(work.resolve("new").resolve("below").resolve("file"), "");
    Files.createSymbolicLink(work.resolve("link"), root.resolve("elsewhere"));
    Files.writeString(work.resolve("tmp").resolve("file"), "");
    Files.writeString(work.resolve("job.xml"), "second");
    assertThat(directory.sweep()).isEmpty();
    assertThat(work.toFile().list()).containsExactlyInAnyOrder("cached", "given", "job.xml", "tmp");
    assertThat(work.resolve("tmp").toFile().list()).isEmpty();
    assertThat(work.resolve("job.xml")).hasContent("second");
    assertThat(root.resolve("elsewhere").resolve("data")).exists();
  }

  @Test
  void changesShouldBeFound() throws IOException {
    Files.writeString(work.resolve("given"), "other");
    Files.setLastModifiedTime(work.resolve("given"), FileTime.fromMillis(1));
    assertThat(directory.sweep()).containsExactly("given");
    Files.delete(work.resolve("given"));
    assertThat(directory.sweep()).containsExactly("given");
  }

  @Test
  void anotherTargetOfALinkShouldBeFound() throws IOException {
    Files.delete(work.resolve("cached"));
    Files.createSymbolicLink(work.resolve("cached"), root);
    assertThat(directory.sweep()).containsExactly("cached");
  }

  @Test
  void aMissingTemporaryDirectoryShouldBeFound() throws IOException {
    Files.delete(work.resolve("tmp"));
    assertThat(directory.sweep()).containsExactly("tmp");
  }
}
