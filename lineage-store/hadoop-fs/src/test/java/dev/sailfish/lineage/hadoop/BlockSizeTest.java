package dev.sailfish.lineage.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BlockSizeTest {
  @ParameterizedTest
  @CsvSource({
    "1, 16",
    "65535, 16",
    "65536, 16",
    "65537, 17",
    "131072, 17",
    "134217728, 27",
    "134217729, 28",
    "1073741824, 30",
    "1073741825, 30",
    "9223372036854775807, 30"
  })
  void isTheNextPowerOfTwoThatThereIs(long wanted, int log) {
    assertThat(BlockSize.log(wanted)).isEqualTo(log);
  }
}
