package dev.sailfish.lineage.qfs.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.testkit.Seeded;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

@Seeded
class ReplyParserTest {
  private static final String GOOD = "OK\r\nCseq: 7\r\nStatus: -2\r\nStatus-message: no: way\r\n";

  private static ReplyHeader parse(String text) throws ProtocolException {
    return new ReplyParser().take(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void headersAreNamesAndValuesWithBlanksCutOff() throws ProtocolException {
    ReplyHeader header = parse(GOOD + "Content-length:  12 \r\nReplicas:127.0.0.1 80\r\n\r\nbody");
    assertThat(header.sequence()).isEqualTo(7);
    assertThat(header.status()).isEqualTo(-2);
    assertThat(header.bodyBytes()).isEqualTo(12);
    assertThat(header.fields())
        .containsEntry("Status-message", "no: way")
        .containsEntry("Replicas", "127.0.0.1 80");
  }

  @Test
  void bytesMayComeInAnyPieces(SplittableRandom random) throws ProtocolException {
    byte[] bytes = (GOOD + "\r\nXYZ").getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < 200; i++) {
      ReplyParser parser = new ReplyParser();
      ReplyHeader header = null;
      int from = 0;
      ByteBuffer piece = ByteBuffer.allocate(0);
      while (header == null) {
        int count = random.nextInt(1, 9);
        piece = ByteBuffer.wrap(bytes, from, Math.min(count, bytes.length - from));
        from += piece.remaining();
        header = parser.take(piece);
      }
      assertThat(header.sequence()).isEqualTo(7);
      assertThat(from - piece.remaining()).isEqualTo(bytes.length - 3);
      assertThat(parser.inside()).isFalse();
    }
  }

  @Test
  void whatIsNoReplyIsRefusedAtOnce() {
    assertThatThrownBy(() -> parse("HT")).hasMessageContaining("not a reply of QFS");
    assertThatThrownBy(() -> parse("OKAY\r\n\r\n")).hasMessageContaining("'OKAY'");
    assertThatThrownBy(() -> parse("OK\r\nno header\r\n\r\n")).hasMessageContaining("'no header'");
  }

  @Test
  void numbersHaveToBeThereAndBeNumbers() {
    assertThatThrownBy(() -> parse("OK\r\nStatus: 0\r\n\r\n")).hasMessageContaining("Cseq missing");
    assertThatThrownBy(() -> parse("OK\r\nCseq: 1\r\n\r\n")).hasMessageContaining("Status missing");
    assertThatThrownBy(() -> parse("OK\r\nCseq: 1\r\nStatus: x\r\n\r\n"))
        .hasMessageContaining("Status='x'");
    assertThatThrownBy(
            () -> parse("OK\r\nCseq: 1\r\nStatus: 0\r\nContent-length: 99999999999\r\n\r\n"))
        .hasMessageContaining("Content-length='99999999999'");
  }

  @Test
  void headersHaveALimit() throws ProtocolException {
    String most = "x".repeat(ReplyParser.MAX_HEADER - GOOD.length() - 7);
    assertThat(parse(GOOD + "A: " + most + "\r\n\r\n").fields()).containsEntry("A", most);
    assertThatThrownBy(() -> parse(GOOD + "A: " + most + "y\r\n\r\n"))
        .hasMessageContaining("go on after 16384 bytes");
  }
}
