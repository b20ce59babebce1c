package dev.sailfish.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ScratchDirectoryTest {
  @Test
  void closingShouldDeleteAllThatIsInIt() throws Exception {
    Path path;
    try (ScratchDirectory directory = new ScratchDirectory("scratch")) {
      path = directory.path();
      Files.writeString(Files.createDirectories(path.resolve("a/b")).resolve("file"), "text");
    }
    assertThat(path).doesNotExist();
    ScratchDirectory.delete(path);
  }
}
