package dev.sailfish.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.FormatException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class LzoCompressionTest extends BlockCompressionContract {
  /** What lzop puts into one block at most. */
  private static final int LZOP_BLOCK = 256 * 1024;

  LzoCompressionTest() {
    super(CodecId.LZO);
  }

  /** Written by lzo1x_1_compress and lzo1x_999_compress of liblzo2 2.10. */
  static Stream<Arguments> writtenByTheLibrary() {
    return Stream.of(
        arguments("one", "lzo1x_1", "1253110000"),
        arguments("one", "lzo1x_999", "1253110000"),
        arguments(
            "text",
            "lzo1x_1",
            "0d746865207361696c66697368206973207c01056661737465737420ad026e8c02017365613b"
                + "a001f005037361696c732c8c022da0000f206973206e6f742061207361696c66697368110000"),
        arguments(
            "text",
            "lzo1x_999",
            "21746865207361696c66697368206973207c01056661737465737420ad026e8c02027365613b"
                + "202bb0006201732ca0062ca0007e086e6f0d0f6127b000110000"),
        arguments(
            "zeros",
            "lzo1x_1",
            "02000000000020f31000000100000000000000000000000000000000000000110000"),
        arguments("zeros", "lzo1x_999", "120020000b0000110000"),
        arguments(
            "distinct",
            "lzo1x_1",
            "510b30557a9fc4e90e33587da2c7ec11365b80a5caef14395e83a8cdf2173c6186abd0f51a3f"
                + "6489aed3f81d42678cb1d6fb20456a8fb4d9fe23486d92b7dc0126110000"),
        arguments(
            "distinct",
            "lzo1x_999",
            "510b30557a9fc4e90e33587da2c7ec11365b80a5caef14395e83a8cdf2173c6186abd0f51a3f"
                + "6489aed3f81d42678cb1d6fb20456a8fb4d9fe23486d92b7dc0126110000"),
        arguments(
            "far",
            "lzo1x_1",
            "00310b30557a9fc4e90e33587da2c7ec11365b80a5caef14395e83a8cdf2173c6186abd0f51a"
                + "3f6489aed3f81d42678cb1d6fb20456a8fb4d9fe23486d92b7dc012600000020000000000000"
                + "0000000000000000000000000000000000000000000000000000000000000000000000000000"
                + "000000000000000000000000000000000000000000000000000000000000000000000a080010"
                + "2380380002678cb1d6fb20456a8fb4d9fe23486d92b7dc0126110000"),
        arguments(
            "far",
            "lzo1x_999",
            "520b30557a9fc4e90e33587da2c7ec11365b80a5caef14395e83a8cdf2173c6186abd0f51a3f"
                + "6489aed3f81d42678cb1d6fb20456a8fb4d9fe23486d92b7dc0126002000000000000000e600"
                + "002000000000000000e600002000000000000000e600002000000000000000e6000020000000"
                + "00000000e600002000000000000000e600002000000000000000e600002000000000000000e6"
                + "00002000000000000000e60000200000000000c3000010378038110000"));
  }

  private static byte[] raw(String name) {
    return switch (name) {
      case "one" -> bytes("S");
      case "text" ->
          bytes(
              "the sailfish is the fastest fish in the sea; the sailfish sails, "
                  + "the fish in the sea is not a sailfish");
      case "zeros" -> new byte[300];
      case "distinct" -> distinct();
      case "far" -> far();
      default -> throw new IllegalArgumentException(name);
    };
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] distinct() {
    byte[] bytes = new byte[64];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (i * 37 + 11);
    }
    return bytes;
  }

  private static byte[] far() {
    byte[] bytes = Arrays.copyOf(distinct(), 20_064);
    System.arraycopy(bytes, 0, bytes, 20_000, 64);
    return bytes;
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("writtenByTheLibrary")
  void readsWhatTheLibraryWrote(String name, String function, String hex) throws FormatException {
    byte[] stored = HexFormat.of().parseHex(hex);
    byte[] raw = raw(name);
    byte[] out = new byte[raw.length];
    codec().decompress(stored, 0, stored.length, out, 0, out.length);
    assertThat(out).isEqualTo(raw);
  }

  @Test
  void theProgramReadsWhatWeWrote(@TempDir Path directory, SplittableRandom random)
      throws IOException, InterruptedException {
    assumeTrue(Lzop.installed(), "lzop is not installed: apt-get install lzop");
    for (byte[] corpus : corpora(random).toArray(byte[][]::new)) {
      byte[] raw = Arrays.copyOf(corpus, Math.min(corpus.length, LZOP_BLOCK));
      byte[] stored = new byte[codec().maxCompressedLength(raw.length)];
      int length = codec().compress(raw, 0, raw.length, stored, 0);
      // In lzop's container only what has shrunk is compressed.
      if (length < raw.length) {
        Lzop.Block block = new Lzop.Block(Arrays.copyOf(stored, length), raw.length);
        assertThat(new Lzop(directory).decompress(block)).isEqualTo(raw);
      }
    }
  }

  @Test
  void readsWhatTheProgramWrote(@TempDir Path directory, SplittableRandom random)
      throws IOException, InterruptedException {
    assumeTrue(Lzop.installed(), "lzop is not installed: apt-get install lzop");
    for (byte[] corpus : corpora(random).toArray(byte[][]::new)) {
      byte[] raw = Arrays.copyOf(corpus, Math.min(corpus.length, LZOP_BLOCK));
      for (String level : raw.length == 0 ? new String[0] : new String[] {"-1", "-6", "-9"}) {
        Lzop.Block block = new Lzop(directory).compress(raw, level);
        byte[] out = new byte[block.rawLength()];
        if (block.stored().length < block.rawLength()) {
          codec().decompress(block.stored(), 0, block.stored().length, out, 0, out.length);
          assertThat(out).isEqualTo(raw);
        }
      }
    }
  }
}
