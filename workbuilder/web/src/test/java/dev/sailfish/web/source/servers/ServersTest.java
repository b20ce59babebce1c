package dev.sailfish.web.source.servers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.web.source.JsonPages;
import dev.sailfish.web.source.Reach;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ServersTest {
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** As hosts with an underscore in their names, these are none of a URI; none answers. */
  @Test
  void aServerStaysWhateverItsHostIsCalled() throws IOException {
    Reach reach = new Reach(Network.SOCKETS, Credentials.none(), PATIENCE);
    JsonPages.Place place =
        new JsonPages.Place("http://localhost:0", Optional.empty(), Optional.empty());
    Map<String, String> named = Map.of("workflow", "http://127.1:1", "node", "http://a+b:1");
    try (Servers servers =
        new Servers(List.of(), named, reach, new JsonPages(place, PATIENCE), Network.SOCKETS)) {
      servers.round();
      assertThat(servers.view().servers())
          .extracting(ServerRow::address)
          .containsExactlyInAnyOrderElementsOf(named.values());
    }
  }
}
