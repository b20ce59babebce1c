package dev.sailfish.ground.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.junit.jupiter.api.Test;

class LoopbackNameTest {
  @Test
  void knowsNamesThatLeadEachHostToItself() {
    for (String name :
        List.of(
            "localhost",
            "LOCALHOST",
            "localhost.localdomain",
            "localhost6",
            "a.localhost",
            "127.0.0.1",
            "127.0.1.1",
            "::1",
            "0:0:0:0:0:0:0:1")) {
      assertThat(LoopbackName.is(name)).as(name).isTrue();
    }
    for (String name :
        List.of(
            "worker7", "localhosts", "localhost7.example.org", "10.0.0.1", "128.0.0.1", "::2")) {
      assertThat(LoopbackName.is(name)).as(name).isFalse();
    }
  }

  @Test
  void knowsThisHostsAddresses() throws UnknownHostException {
    assertThat(LoopbackName.isHere(InetAddress.getLoopbackAddress())).isTrue();
    assertThat(LoopbackName.isHere(InetAddress.getByName("192.0.2.1"))).isFalse();
  }
}
