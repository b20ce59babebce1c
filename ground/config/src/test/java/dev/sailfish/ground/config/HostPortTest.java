package dev.sailfish.ground.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sailfish.testkit.Seeded;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

@Seeded
class HostPortTest {
  private static final List<String> HOSTS =
      List.of(
          "a", "node-7.example.org", "10.0.0.1", "my_host", "::1", "fe80::1%eth0", "2001:db8::2");

  @Test
  void whatIsWrittenIsRead(SplittableRandom random) {
    for (int i = 0; i < 1000; i++) {
      HostPort place =
          new HostPort(HOSTS.get(random.nextInt(HOSTS.size())), random.nextInt(1, 65536));
      assertThat(HostPort.parse(place.toString())).isEqualTo(place);
      assertThat(HostPort.parseAll(place + " , " + place)).containsExactly(place, place);
    }
  }

  @Test
  void anIpv6AddressIsInBrackets() {
    assertThat(HostPort.parse("[::1]:80")).isEqualTo(new HostPort("::1", 80));
    assertThat(new HostPort("::1", 80)).hasToString("[::1]:80");
    assertThat(HostPort.parse("[::1]:80").unresolved().getHostString()).isEqualTo("::1");
  }

  @Test
  void everythingElseIsRefused() {
    for (String text :
        List.of(
            "",
            ":",
            "a",
            "a:",
            ":1",
            "a:0",
            "a:65536",
            "a:-1",
            "a:+1",
            "a:1x",
            "a b:1",
            "a:b:1",
            "::1:80",
            "[]:1",
            "[a]:1",
            "[::1]",
            "[::1]80",
            "[::1",
            "::1]:80",
            "a/b:1",
            "a=b:1",
            "http://a:1",
            "a:99999999999999999999",
            "\u00e4:1")) {
      assertThatIllegalArgumentException()
          .as(text)
          .isThrownBy(() -> HostPort.parse(text))
          .withMessageStartingWith("'" + text + "' is not host:port");
    }
    for (String list : List.of("", ",", "a:1,", ",a:1", "a:1,,b:2")) {
      assertThatIllegalArgumentException().as(list).isThrownBy(() -> HostPort.parseAll(list));
    }
  }
}
