package dev.sailfish.ground.wire.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterSecretTest {
  private static final String SECRET = "0123456789abcdef";

  @TempDir private Path directory;

  private Path file(String content, String mode) throws IOException {
    Path file = Files.writeString(directory.resolve("secret"), content);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
  }

  private static void assertRefused(Path file, String why) {
    assertThatThrownBy(() -> ClusterSecret.read("some.key", file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("some.key=" + file)
        .hasMessageContaining(why)
        .hasMessageNotContaining(SECRET.substring(SECRET.length() - 6));
  }

  @ParameterizedTest
  @ValueSource(strings = {"rw-------", "r--------", "rwx------"})
  void readsWhatOnlyItsOwnerCanRead(String mode) throws IOException {
    assertThat(ClusterSecret.read("some.key", file(SECRET, mode)))
        .isEqualTo(SECRET.getBytes(StandardCharsets.US_ASCII));
  }

  @ParameterizedTest
  @ValueSource(strings = {"rw-r-----", "rw--w----", "rw----r--", "rw-----w-", "rw---x---"})
  void refusesAFileThatOthersGetAt(String mode) throws IOException {
    assertRefused(file(SECRET, mode), "chmod 600");
  }

  @Test
  void passesOverTheLineEnd() throws IOException {
    assertThat(ClusterSecret.read("some.key", file(SECRET + " \r\n\n", "rw-------")))
        .isEqualTo(SECRET.getBytes(StandardCharsets.US_ASCII));
  }

  @Test
  void refusesWhatIsNoSecret() throws IOException {
    assertRefused(directory.resolve("missing"), "is no file");
    assertRefused(directory, "is no file");
    assertRefused(file("", "rw-------"), "too short: bytes=0");
    assertRefused(file("\n".repeat(40), "rw-------"), "too short: bytes=0");
    assertRefused(file(SECRET.substring(1), "rw-------"), "too short: bytes=15 least=16");
    assertRefused(file(SECRET.repeat(300), "rw-------"), "too long: bytes=4800");
  }

  @Test
  void createsASecretThatCanBeRead() throws IOException {
    Path one = directory.resolve("one");
    Path two = directory.resolve("two");
    ClusterSecret.create(one);
    ClusterSecret.create(two);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(one)))
        .isEqualTo("rw-------");
    assertThat(ClusterSecret.read("one", one))
        .hasSize(64)
        .isNotEqualTo(ClusterSecret.read("two", two));
    assertThatThrownBy(() -> ClusterSecret.create(one))
        .isInstanceOf(FileAlreadyExistsException.class);
  }
}
