package dev.sailfish.localcluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.testkit.FreePort;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

@Seeded
class FreePortsTest {

  @Test
  void neverHandsOutAPortTwice(Seed seed) throws IOException {
    try (FreePorts ports = new FreePorts(seed.splittable())) {
      assertThat(IntStream.range(0, 4 * FreePorts.BLOCK).map(i -> ports.next()))
          .doesNotHaveDuplicates();
    }
  }

  /** The same seed: without a guard both would be given the same ports. */
  @Test
  void twoStartsSideBySideAreNotGivenTheSamePort(Seed seed) throws IOException {
    List<Integer> given = new ArrayList<>();
    try (FreePorts one = new FreePorts(seed.splittable());
        FreePorts other = new FreePorts(seed.splittable())) {
      for (int i = 0; i < 2 * FreePorts.BLOCK; i++) {
        given.add(one.next());
        given.add(other.next());
      }
    }
    assertThat(given).doesNotHaveDuplicates();
  }

  /** A daemon of that cluster may be down just now; another cluster must not get its port. */
  @Test
  void passesOverTheBlockOfAClusterThatRuns(Seed seed) throws IOException {
    int first;
    int inUse;
    try (FreePorts ports = new FreePorts(seed.splittable())) {
      first = ports.next();
      inUse = first + seed.random().nextInt(FreePorts.BLOCK - 1);
    }
    try (ServerSocket daemon = new ServerSocket(inUse, 1, InetAddress.getLoopbackAddress());
        FreePorts others = new FreePorts(seed.splittable())) {
      assertThat(IntStream.range(0, FreePorts.BLOCK - 1).map(i -> others.next()))
          .doesNotContain(first, daemon.getLocalPort());
    }
  }

  @Test
  void givesBlocksUpWhenItIsClosed(Seed seed) throws IOException {
    int first;
    try (FreePorts ports = new FreePorts(seed.splittable())) {
      first = ports.next();
    }
    try (FreePorts ports = new FreePorts(seed.splittable())) {
      assertThat(ports.next()).isEqualTo(first);
    }
  }

  @Test
  void aKnownPortIsGivenOnceAndOnlyIfItIsFree(Seed seed) throws IOException {
    int known = FreePort.next();
    try (FreePorts one = new FreePorts(seed.splittable());
        FreePorts other = new FreePorts(seed.splittable())) {
      assertThat(one.knownOrNext(known)).isEqualTo(known);
      assertThat(other.knownOrNext(known)).isNotEqualTo(known);
    }
    try (ServerSocket daemon = new ServerSocket(known, 1, InetAddress.getLoopbackAddress());
        FreePorts ports = new FreePorts(seed.splittable())) {
      assertThat(ports.knownOrNext(known)).isNotEqualTo(daemon.getLocalPort());
    }
    try (FreePorts ports = new FreePorts(seed.splittable())) {
      assertThat(ports.knownOrNext(known)).isEqualTo(known);
    }
  }
}
