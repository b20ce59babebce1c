package dev.sailfish.lineage.qfs.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class RequestTest {
  @Test
  void isLinesOfText() {
    Request request = Request.of("MKDIR").field("Directory", "größe").field("Mode", 493);
    assertThat(StandardCharsets.UTF_8.decode(request.head(12)).toString())
        .isEqualTo(
            "MKDIR\r\nCseq: 12\r\nVersion: KFS/1.0\r\nClient-Protocol-Version: 116\r\n"
                + "Directory: größe\r\nMode: 493\r\n\r\n");
    assertThat(StandardCharsets.UTF_8.decode(request.head(-1)).toString()).doesNotContain("Cseq");
  }

  @Test
  void aValueCannotBeAHeaderMore() {
    for (String text : new String[] {"a\r\nUserId: 0", "a\nb", "a\0"}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Request.of("CREATE").field("Filename", text))
          .withMessageContaining("Filename")
          .withMessageContaining("control character");
    }
  }

  @Test
  void sendingMovesNoPositionOfTheCaller() {
    ByteBuffer body = ByteBuffer.wrap(new byte[10], 2, 5);
    ByteBuffer[] parts = Request.of("X").body(body).withBody(ByteBuffer.allocate(1));
    parts[1].position(parts[1].limit());
    assertThat(body.remaining()).isEqualTo(5);
  }
}
