package dev.sailfish.lineage.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class BlockTokenKeyTest {
  private static final byte[] SECRET = bytes("0123456789abcdef");
  private static final long NOW = 1_800_000_000_000L;

  private final BlockTokenKey key = new BlockTokenKey(SECRET);
  private final BlockToken token =
      new BlockToken(7L << 40, BlockToken.Access.WRITE, NOW, "\u00e4lice");

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Test
  void otherServersOfTheClusterTakeIt() throws IOException {
    assertThat(new BlockTokenKey(SECRET).open(key.seal(token))).isEqualTo(token);
    BlockToken other = new BlockToken(-1, BlockToken.Access.READ, 0, "u".repeat(255));
    assertThat(key.open(key.seal(other))).isEqualTo(other);
  }

  @Test
  void anyBitThatChangesMakesItWorthless() {
    byte[] sealed = key.seal(token);
    for (int bit = 0; bit < 8 * sealed.length; bit++) {
      byte[] changed = sealed.clone();
      changed[bit / 8] ^= 1 << bit % 8;
      assertThatIOException().as("bit %d", bit).isThrownBy(() -> key.open(changed));
    }
  }

  @Test
  void anyOtherLengthIsRefused() {
    byte[] sealed = key.seal(token);
    for (int length = 0; length <= 2 * sealed.length; length++) {
      byte[] cut = Arrays.copyOf(sealed, length);
      if (length != sealed.length) {
        assertThatIOException().as("length %d", length).isThrownBy(() -> key.open(cut));
      }
    }
  }

  @Test
  void anotherSecretIsNamedAsTheCause() {
    BlockTokenKey other = new BlockTokenKey(bytes("fedcba9876543210"));
    assertThatIOException()
        .isThrownBy(() -> other.open(key.seal(token)))
        .withMessageContaining("another cluster's secret");
  }

  @Test
  void eachSixHoursHaveAKeyOfTheirOwn() throws IOException {
    long sixHours = 6 * 3_600_000L;
    for (int window = 0; window < 100; window++) {
      BlockToken later =
          new BlockToken(1, BlockToken.Access.READ, NOW + window * sixHours, "alice");
      byte[] sealed = key.seal(later);
      assertThat(key.open(sealed)).isEqualTo(later);
      byte[] moved = sealed.clone();
      byte[] next =
          key.seal(
              new BlockToken(1, BlockToken.Access.READ, NOW + (window + 1) * sixHours, "alice"));
      System.arraycopy(next, 15, moved, 15, 8);
      assertThatIOException().isThrownBy(() -> key.open(moved));
    }
  }

  @Test
  void itIsSomebodys() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new BlockToken(1, BlockToken.Access.READ, NOW, ""));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new BlockToken(1, BlockToken.Access.READ, NOW, "u".repeat(256)));
  }
}
