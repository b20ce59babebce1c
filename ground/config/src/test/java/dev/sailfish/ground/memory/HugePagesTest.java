package dev.sailfish.ground.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HugePagesTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "true  | 66 30 0:43 / /mnt rw,relatime - tmpfs tmpfs rw,size=8388608k,huge=within_size",
        "true  | 66 30 0:43 / /mnt rw shared:2 - tmpfs none rw,huge=always,size=1k",
        "false | 66 30 0:43 / /mnt rw - tmpfs tmpfs rw,huge=advise",
        "false | 66 30 0:43 / /mnt rw - tmpfs tmpfs rw,size=24684084k",
        "false | 66 30 0:43 / /huge=always rw - tmpfs tmpfs rw",
        "false | 66 30 0:43 / /mnt rw - ext4 /dev/sda rw,huge=always",
        "false | rubbish",
      })
  void optionsOfAMountTell(boolean isHuge, String line) {
    assertThat(HugePages.isHuge(line)).isEqualTo(isHuge);
  }

  @Test
  void whatIsNotThereHasNone() {
    assertThat(HugePages.backs(Path.of("/no/such/directory"))).isFalse();
  }

  @Test
  void sharedMemoryIsAsItsMountSays() throws IOException {
    Path memory = Path.of("/dev/shm");
    Path mounts = Path.of("/proc/self/mounts");
    assumeTrue(Files.isDirectory(memory) && Files.isReadable(mounts), "Linux alone has them");
    try (Stream<String> lines = Files.lines(mounts)) {
      Optional<String> mount =
          lines.filter(line -> line.contains(" /dev/shm ")).reduce((first, last) -> last);
      assumeTrue(mount.isPresent(), "it is a file system of its own");
      String line = mount.get();
      assertThat(HugePages.backs(memory))
          .isEqualTo(line.contains("huge=within_size") || line.contains("huge=always"));
    }
  }
}
