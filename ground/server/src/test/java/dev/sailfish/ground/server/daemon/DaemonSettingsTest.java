package dev.sailfish.ground.server.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.ground.config.KeySet;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.server.ServerKeys;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DaemonSettingsTest {
  @TempDir private Path directory;

  private static final ServerKeys KEYS = ServerKeys.of(new KeySet("p."), "0");

  private static DaemonSettings of(String mode, String file) {
    return DaemonSettings.of(
        Settings.of(Map.of("p.authentication", mode, "p.cluster.secret.file", file)), KEYS, false);
  }

  @Test
  void isClosedWhenNothingIsSaid() {
    assertThatThrownBy(() -> of("", "").secret())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("p.cluster.secret.file")
        .hasMessageContaining("p.authentication=none");
  }

  @Test
  void isOpenWhenThatIsSaid() throws IOException {
    assertThat(of("none", "").secret()).isEmpty();
    assertThat(of("none", "/no/such/file").secret()).isEmpty();
  }

  @Test
  void takesTheSecretOfTheFile() throws IOException {
    Path file = directory.resolve("secret");
    ClusterSecret.create(file);
    assertThat(of("", file.toString()).secret()).hasValueSatisfying(s -> assertThat(s).hasSize(64));
    assertThat(of("secret", file.toString()).secret()).isPresent();
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    assertThatThrownBy(() -> of("", file.toString()).secret())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("p.cluster.secret.file=" + file);
  }

  @Test
  void refusesOtherWords() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> of("maybe", ""))
        .withMessageContaining("p.authentication=maybe must be secret or none");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> of("secret", ""))
        .withMessageContaining("p.authentication=secret needs p.cluster.secret.file");
  }
}
