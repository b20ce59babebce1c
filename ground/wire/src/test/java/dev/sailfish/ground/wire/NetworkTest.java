package dev.sailfish.ground.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The real network, against a plain socket. */
@Timeout(30)
class NetworkTest {
  private static final long WAIT_MS = 10_000;

  private final Network network = Network.SOCKETS;

  private static ServerSocket listen() throws IOException {
    return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  }

  private Wire connected(ServerSocket server) throws IOException {
    Wire wire =
        network.open(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort()));
    while (!wire.connect()) {
      wire.await(Wire.CONNECT, WAIT_MS);
    }
    return wire;
  }

  @Test
  void aHostThatCannotBeResolvedShouldBeNamedWithWhatToDo() {
    assertThatThrownBy(
            () ->
                Connection.open(
                    InetSocketAddress.createUnresolved("no-such-host", 19852),
                    "test",
                    Duration.ofSeconds(1)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot resolve host 'no-such-host' (port 19852)")
        .hasMessageContaining("see the key 'host' of that server");
  }

  @Test
  void bytesShouldGoBothWaysAndTheEndBeTold() throws IOException {
    try (ServerSocket server = listen()) {
      Wire wire = connected(server);
      ByteBuffer in = ByteBuffer.allocate(8);
      try (Socket peer = server.accept()) {
        assertThat(wire.read(in)).as("bytes before any were sent").isZero();
        assertThat(wire.write(ByteBuffer.wrap(new byte[] {1, 2}))).isEqualTo(2);
        assertThat(peer.getInputStream().readNBytes(2)).containsExactly(1, 2);
        peer.getOutputStream().write(new byte[] {3});
        wire.await(Wire.READ, WAIT_MS);
        assertThat(wire.read(in)).isEqualTo(1);
        assertThat(in.get(0)).isEqualTo((byte) 3);
      }
      wire.await(Wire.READ, WAIT_MS);
      assertThat(wire.read(in)).isEqualTo(-1);
      assertThat(wire.isOpen()).isTrue();
      wire.close();
      assertThat(wire.isOpen()).isFalse();
    }
  }

  @Test
  void wireToNobodyShouldNotConnect() throws IOException {
    ServerSocket gone = listen();
    gone.close();
    InetSocketAddress address =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), gone.getLocalPort());
    try (Wire wire = network.open(address)) {
      assertThatThrownBy(
              () -> {
                while (!wire.connect()) {
                  wire.await(Wire.CONNECT, WAIT_MS);
                }
              })
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void pauseShouldLastUntilItsTime() throws IOException {
    long until = network.nanoTime() + TimeUnit.MILLISECONDS.toNanos(20);
    network.pause(until, "a test");
    assertThat(network.nanoTime() - until).isNotNegative();
    network.pause(until, "what is past");
  }

  @Test
  void pauseShouldEndWhenInterrupted() {
    Thread.currentThread().interrupt();
    long until = network.nanoTime() + TimeUnit.HOURS.toNanos(1);
    assertThatThrownBy(() -> network.pause(until, "waiting for a test"))
        .isInstanceOf(InterruptedIOException.class)
        .hasMessage("interrupted: waiting for a test");
    assertThat(Thread.interrupted()).as("the interrupt is still there").isTrue();
  }
}
