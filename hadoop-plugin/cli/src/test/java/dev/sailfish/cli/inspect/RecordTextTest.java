package dev.sailfish.cli.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.localcluster.CommandException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class RecordTextTest {
  private static String escaped(byte[] bytes) {
    StringBuilder text = new StringBuilder();
    RecordText.escape(text, bytes, 0, bytes.length);
    return text.toString();
  }

  @Test
  void unprintableBytesAreEscapedUnmistakably() {
    assertThat(escaped("a b\t\n\r\\x00~".getBytes(StandardCharsets.US_ASCII)))
        .isEqualTo("a b\\t\\n\\r\\\\x00~");
    assertThat(escaped(new byte[] {0, 0x1f, 0x7f, -1})).isEqualTo("\\x00\\x1f\\x7f\\xff");
  }

  @Test
  void keysAreTextOrHexadecimal() {
    assertThat(RecordText.parseKey("grün")).isEqualTo("grün".getBytes(StandardCharsets.UTF_8));
    assertThat(RecordText.parseKey("0x80ff")).containsExactly(0x80, 0xff);
    assertThat(RecordText.parseKey("0x")).isEmpty();
    assertThatThrownBy(() -> RecordText.parseKey("0x123"))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("0x123")
        .hasMessageContaining("two digits");
  }
}
