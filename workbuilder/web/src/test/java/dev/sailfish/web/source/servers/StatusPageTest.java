package dev.sailfish.web.source.servers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class StatusPageTest {
  private static ServerRow row(String page) throws IOException {
    return StatusPage.of(new ObjectMapper().readTree(page))
        .row("http://a:2", "/r", StatusPage.Drain.NONE, 5);
  }

  @Test
  void saysVersionAndCertificate() throws IOException {
    ServerRow row =
        row(
            """
            {"server":"chunkserver a","host":"a","port":1,"version":"1.2","certificate_end_ms":77,
             "ready":true,"failing_checks":{},"warnings":{"x":"It warns."},
             "metrics":{"sailfish_chunkserver_queued_sorts":3}}""");
    assertThat(row.version()).isEqualTo("1.2");
    assertThat(row.certificateEndMs()).isEqualTo(77);
    assertThat(row.backlogChunks()).isEqualTo(3);
    assertThat(row.warnings()).containsExactly("It warns.");
    assertThat(row.address()).isEqualTo("a:1");
  }

  @Test
  void whatIsNotSaidIsNotKnown() throws IOException {
    ServerRow row = row("{\"server\":\"workflow\",\"port\":0,\"ready\":true}");
    assertThat(row.version()).isNull();
    assertThat(row.certificateEndMs()).isNull();
    assertThat(row.chunksLeft()).isNull();
    assertThat(row.address()).isEmpty();
  }
}
