package dev.sailfish.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VarintTest {
  @ParameterizedTest
  @ValueSource(
      ints = {
        0,
        1,
        127,
        128,
        16_383,
        16_384,
        2_097_151,
        2_097_152,
        268_435_455,
        268_435_456,
        Integer.MAX_VALUE
      })
  void shouldReadWhatItWrote(int value) {
    byte[] bytes = new byte[8];
    int end = Varint.put(bytes, 1, value);
    assertThat(end - 1).isEqualTo(Varint.length(value));
    assertThat(Varint.get(bytes, 1, end)).isEqualTo(value);
    assertThat(Varint.get(ByteBuffer.wrap(bytes), 1, end)).isEqualTo(value);
    assertThat(Varint.get(bytes, 1, end - 1)).isEqualTo(Varint.MALFORMED);
    ByteBuffer buffer = ByteBuffer.allocate(8);
    assertThat(Varint.put(buffer, 1, value)).isEqualTo(end);
    assertThat(buffer.array()).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"8000", "808000", "ffffffff0f", "ffffffffff01", "8080808010"})
  void shouldRefusePaddedAndNegativeValues(String hex) {
    byte[] bytes = java.util.HexFormat.of().parseHex(hex);
    assertThat(Varint.get(bytes, 0, bytes.length)).isEqualTo(Varint.MALFORMED);
    assertThat(Varint.get(ByteBuffer.wrap(bytes), 0, bytes.length)).isEqualTo(Varint.MALFORMED);
  }
}
