package dev.sailfish.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.FileNotFoundException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Seeded
class BitFlipTest {
  private static final int LENGTH = 100;

  @TempDir private Path directory;

  @RepeatedTest(20)
  void oneBitWithinTheLimitShouldBeTheOtherOne(Seed seed) throws Exception {
    Path file = Files.write(directory.resolve("file"), new byte[LENGTH]);
    assertThat(BitFlip.anywhere(file, 10, seed.splittable())).isPresent();
    BitSet bits = BitSet.valueOf(Files.readAllBytes(file));
    assertThat(bits.cardinality()).isEqualTo(1);
    assertThat(bits.nextSetBit(0)).isLessThan(10 * Byte.SIZE);
    assertThat(file).hasSize(LENGTH);
  }

  @Test
  void whatIsNotThereShouldNotBeMade(Seed seed) throws Exception {
    Path file = directory.resolve("none");
    assertThat(BitFlip.anywhere(file, 10, seed.splittable())).isEmpty();
    assertThatThrownBy(() -> BitFlip.at(file, 0, 0)).isInstanceOf(FileNotFoundException.class);
    assertThat(file).doesNotExist();
  }
}
