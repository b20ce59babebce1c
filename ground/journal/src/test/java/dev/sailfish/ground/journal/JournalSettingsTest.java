package dev.sailfish.ground.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class JournalSettingsTest {
  private static final InetSocketAddress HOST = InetSocketAddress.createUnresolved("h", 1);

  private static JournalSettings of(
      String directory, String cluster, String peer, Map<String, InetSocketAddress> peers) {
    return new JournalSettings(
        "master", Optional.of(directory).map(Path::of), true, 10, cluster, peer, peers);
  }

  private static void refuses(
      String message, String cluster, String peer, Map<String, InetSocketAddress> peers) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> of("/j", cluster, peer, peers))
        .withMessageContaining(message);
  }

  @Test
  void refusesNamesAndPeersThatDoNotGoTogether() {
    refuses("cluster=a b must be 1 to 100 letters", "a b", "", Map.of());
    refuses("peers: a b must be 1 to 100 letters", "c", "a b", Map.of("a b", HOST));
    refuses("neither for a single master", "c", "m1", Map.of());
    refuses("neither for a single master", "c", "", Map.of("m1", HOST));
    refuses("peer=m2 is none of peers=m1=h:1", "c", "m2", Map.of("m1", HOST));
    refuses("even number", "c", "m1", Map.of("m1", HOST, "m2", HOST));
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new JournalSettings(
                    "master", Optional.empty(), true, 10, "c", "m1", Map.of("m1", HOST)))
        .withMessageContaining("needs a journal");
  }

  @Test
  void knowsItselfByItsId() {
    assertThat(of("/j", "c", "", Map.of()).id()).isEqualTo("single");
    assertThat(of("/j", "c", "m1", Map.of("m1", HOST)).id()).isEqualTo("m1");
  }

  @Test
  void writesAddressesAsTheyAreRead() {
    assertThat(JournalSettings.text(Map.of("m1", HOST))).isEqualTo("m1=h:1");
    assertThat(JournalSettings.text(InetSocketAddress.createUnresolved("::1", 80)))
        .isEqualTo("[::1]:80");
  }
}
