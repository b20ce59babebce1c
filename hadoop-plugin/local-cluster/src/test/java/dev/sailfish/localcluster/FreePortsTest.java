package dev.sailfish.localcluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

@Seeded
class FreePortsTest {

  @Test
  void neverHandsOutAPortTwice(Seed seed) {
    FreePorts ports = new FreePorts(seed.splittable());
    assertThat(IntStream.range(0, 200).map(i -> ports.next())).doesNotHaveDuplicates();
  }

  @Test
  void passesOverAPortInUse(Seed seed) throws IOException {
    int first = new FreePorts(seed.splittable()).next();
    try (ServerSocket socket = new ServerSocket(first, 1, InetAddress.getLoopbackAddress())) {
      assertThat(new FreePorts(seed.splittable()).next()).isNotEqualTo(socket.getLocalPort());
    }
  }
}
