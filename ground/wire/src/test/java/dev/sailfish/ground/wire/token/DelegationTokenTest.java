package dev.sailfish.ground.wire.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

@Seeded
class DelegationTokenTest {
  private static final DelegationToken TOKEN =
      new DelegationToken("alice", "rm/host@R", "oozie", 0x1122334455L, 0x1222334455L, -2, 0xcafe);

  /**
   * The layout as it was when it was drawn: a change here makes tokens of running jobs worthless.
   */
  private static final String GOLDEN =
      "534401000000cafe"
          + "0000001122334455"
          + "0000001222334455"
          + "fffffffffffffffe"
          + "05616c696365"
          + "09726d2f686f73744052"
          + "056f6f7a6965";

  @Test
  void layoutShouldStayAsItIs() throws IOException {
    assertThat(HexFormat.of().formatHex(TOKEN.identifier())).isEqualTo(GOLDEN);
    assertThat(DelegationToken.of(HexFormat.of().parseHex(GOLDEN))).isEqualTo(TOKEN);
  }

  @Test
  void longestNamesShouldFit() throws IOException {
    String name = "x".repeat(DelegationToken.MAX_NAME_LENGTH);
    DelegationToken token = new DelegationToken(name, name, name, 0, 0, 0, 0);
    assertThat(token.identifier()).hasSize(DelegationToken.MAX_LENGTH);
    assertThat(DelegationToken.of(token.identifier())).isEqualTo(token);
  }

  @Test
  void whatMakesNoSenseShouldBeRefused() {
    String tooLong = "ü".repeat(DelegationToken.MAX_NAME_LENGTH / 2 + 1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new DelegationToken(tooLong, "", "", 0, 1, 0, 0))
        .withMessageContaining("bytes=256");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new DelegationToken("", "", "", 0, 1, 0, 0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new DelegationToken("a\nb", "", "", 0, 1, 0, 0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new DelegationToken("a", "", "", 2, 1, 0, 0));
  }

  @Test
  void cutOrLongerIdentifiersShouldBeRefused() {
    byte[] whole = TOKEN.identifier();
    for (int length = 0; length <= whole.length + 1; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      if (length != whole.length) {
        assertThatIOException()
            .as("length=%d", length)
            .isThrownBy(() -> DelegationToken.of(cut))
            .withMessageContaining("no identifier");
      }
    }
    assertThatIOException().isThrownBy(() -> DelegationToken.of(new byte[1 << 20]));
  }

  @Test
  void anyBytesShouldBeReadOrRefused(SplittableRandom random) throws IOException {
    int read = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = TOKEN.identifier();
      for (int flips = random.nextInt(1, 4); flips > 0; flips--) {
        bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
      }
      try {
        assertThat(DelegationToken.of(bytes).identifier()).isEqualTo(bytes);
        read++;
      } catch (IOException e) {
        assertThat(e).hasMessageContaining("no identifier of a delegation token");
      }
    }
    assertThat(read).isBetween(1, 19_999);
  }
}
