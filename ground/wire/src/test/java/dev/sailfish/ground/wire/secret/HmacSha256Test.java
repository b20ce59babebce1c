package dev.sailfish.ground.wire.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HmacSha256Test {
  private static final HexFormat HEX = HexFormat.of();

  /** RFC 4231, test cases 1 to 4: key, data, code. */
  @ParameterizedTest
  @CsvSource({
    "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b, 4869205468657265,"
        + " b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
    "4a656665, 7768617420646f2079612077616e7420666f72206e6f7468696e673f,"
        + " 5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,"
        + " dddddddddddddddddddddddddddddddddddddddddddddddddd"
        + "dddddddddddddddddddddddddddddddddddddddddddddddddd,"
        + " 773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
    "0102030405060708090a0b0c0d0e0f10111213141516171819,"
        + " cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd"
        + "cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd,"
        + " 82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
  })
  void equalsTheVectorsOfTheRfc(String key, String data, String code) {
    assertThat(HmacSha256.of(HEX.parseHex(key), HEX.parseHex(data))).isEqualTo(HEX.parseHex(code));
  }

  /** RFC 4231, test cases 6 and 7: a key that is longer than a block. */
  @ParameterizedTest
  @CsvSource({
    "Test Using Larger Than Block-Size Key - Hash Key First,"
        + " 60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
    "This is a test using a larger than block-size key and a larger than block-size data. The key"
        + " needs to be hashed before being used by the HMAC algorithm.,"
        + " 9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
  })
  void hashesALongKeyFirst(String data, String code) {
    byte[] key = new byte[131];
    Arrays.fill(key, (byte) 0xaa);
    assertThat(HmacSha256.of(key, data.getBytes(StandardCharsets.US_ASCII)))
        .isEqualTo(HEX.parseHex(code));
  }

  @Test
  void takesPartsAsOneText() {
    byte[] key = {1};
    byte[] all = {1, 2, 3, 4, 5};
    assertThat(HmacSha256.of(key, new byte[] {1, 2}, new byte[0], new byte[] {3, 4, 5}))
        .isEqualTo(HmacSha256.of(key, all));
  }

  @Test
  void refusesAnEmptyKey() {
    assertThatIllegalArgumentException().isThrownBy(() -> HmacSha256.of(new byte[0], new byte[1]));
  }

  @Test
  void comparesAllBytesAndTheLength() {
    assertThat(HmacSha256.same(new byte[] {1, 2}, new byte[] {1, 2})).isTrue();
    assertThat(HmacSha256.same(new byte[] {1, 2}, new byte[] {1, 3})).isFalse();
    assertThat(HmacSha256.same(new byte[] {1, 2}, new byte[] {1})).isFalse();
    assertThat(HmacSha256.same(new byte[0], new byte[] {1})).isFalse();
  }
}
