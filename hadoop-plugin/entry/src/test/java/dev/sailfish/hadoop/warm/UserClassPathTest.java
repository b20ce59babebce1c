package dev.sailfish.hadoop.warm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UserClassPathTest {
  @TempDir private Path directory;

  @Test
  void entriesShouldMeanWhatTheyMeanToJava() throws IOException {
    Path classes = Files.createDirectory(directory.resolve("classes"));
    Path jar = Files.writeString(directory.resolve("one.jar"), "");
    Path lib = Files.createDirectory(directory.resolve("lib"));
    Path b = Files.writeString(lib.resolve("b.JAR"), "");
    Path a = Files.writeString(lib.resolve("a.jar"), "");
    Files.writeString(lib.resolve("readme.txt"), "");
    Files.createDirectory(lib.resolve("directory.jar"));
    String path = classes + "/:" + directory.resolve("missing") + "::" + jar + ":" + lib + "/*";
    assertThat(UserClassPath.urls(path))
        .containsExactly(
            classes.toUri().toURL(), jar.toUri().toURL(), a.toUri().toURL(), b.toUri().toURL());
  }

  @Test
  void anEmptyOneHasNothing() {
    assertThat(UserClassPath.urls("")).isEmpty();
  }
}
