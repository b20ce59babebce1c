package dev.sailfish.format.order;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class PrintableKeyTest {
  @Test
  void shouldQuoteWhatIsNoPlainLetter() {
    assertThat(PrintableKey.of(new byte[] {'a', '"', '\\', ' ', 0x7f, (byte) 0xff, 0x1a}))
        .isEqualTo("\"a\\\"\\\\ \\x7f\\xff\\x1a\"");
    assertThat(PrintableKey.of(new byte[0])).isEqualTo("\"\"");
  }

  @Test
  void shouldCutLongKeys() {
    byte[] key = "k".repeat(65).getBytes(StandardCharsets.US_ASCII);
    assertThat(PrintableKey.of(key)).isEqualTo("\"" + "k".repeat(64) + "\"... of 65 bytes");
  }
}
