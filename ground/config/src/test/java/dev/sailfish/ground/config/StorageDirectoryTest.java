package dev.sailfish.ground.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sailfish.ground.config.StorageDirectory.DiskType;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StorageDirectoryTest {
  private static final KeySet ALL = new KeySet("t.");
  private static final Key<List<String>> DIRS = ALL.list("dirs", "", "where");

  private static List<StorageDirectory> read(String text) {
    return StorageDirectory.of(Settings.of(Map.of("t.dirs", text)), DIRS);
  }

  @Test
  void readsEachForm() {
    assertThat(read("/a, /dev/shm/b:disktype=MEM:capacity=1g,/c:capacity=2m:disktype=SSD,/d:e:f"))
        .containsExactly(
            new StorageDirectory(Path.of("/a"), DiskType.HDD, StorageDirectory.ALL_OF_IT),
            new StorageDirectory(Path.of("/dev/shm/b"), DiskType.MEM, 1L << 30),
            new StorageDirectory(Path.of("/c"), DiskType.SSD, 2L << 20),
            new StorageDirectory(Path.of("/d:e:f"), DiskType.HDD, StorageDirectory.ALL_OF_IT));
    assertThat(read("")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/a:disktype=RAM",
        "/a:disktype=",
        "/a:capacity=",
        "/a:capacity=1k",
        "/a:capacity=-1",
        "/a:capacity=x:disktype=SSD",
        ":capacity=1g",
        "\0"
      })
  void saysWhatIsWrongWithOthers(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> read("/ok," + text))
        .withMessageContaining("t.dirs")
        .withMessageContaining("'" + text + "'");
  }
}
