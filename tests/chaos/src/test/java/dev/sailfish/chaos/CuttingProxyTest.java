package dev.sailfish.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The proxy passes bytes on, and is a bad network when asked to be. */
class CuttingProxyTest {
  private static final int SOON_MS = 5_000;
  private static final int SHORT_MS = 200;

  private ServerSocket server;
  private CuttingProxy proxy;
  private Socket client;
  private Socket accepted;

  @BeforeEach
  void connect() throws IOException {
    server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
    server.setSoTimeout(SOON_MS);
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    InetSocketAddress target =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort());
    proxy = CuttingProxy.start("server", any, target);
    client = new Socket(proxy.address().getAddress(), proxy.address().getPort());
    client.setSoTimeout(SOON_MS);
    accepted = server.accept();
    accepted.setSoTimeout(SOON_MS);
    send(client, 1);
    assertThat(accepted.getInputStream().read()).isEqualTo(1);
  }

  @AfterEach
  void close() throws IOException {
    proxy.close();
    client.close();
    accepted.close();
    server.close();
  }

  private static void send(Socket socket, int value) throws IOException {
    socket.getOutputStream().write(value);
    socket.getOutputStream().flush();
  }

  @Test
  void cutShouldResetBothSides() throws IOException {
    assertThat(proxy.cut()).isEqualTo(1);
    assertThatThrownBy(() -> client.getInputStream().read())
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(SocketTimeoutException.class);
  }

  @Test
  void halfCloseShouldEndAnswersOnly() throws IOException {
    assertThat(proxy.halfClose()).isEqualTo(1);
    assertThat(client.getInputStream().read()).isEqualTo(-1);
    send(client, 2);
    assertThat(accepted.getInputStream().read()).isEqualTo(2);
  }

  @Test
  void stallShouldHoldBytesBackUntilItEnds() throws IOException {
    assertThat(proxy.stall(true)).isEqualTo(1);
    send(client, 3);
    accepted.setSoTimeout(SHORT_MS);
    assertThatThrownBy(() -> accepted.getInputStream().read())
        .isInstanceOf(SocketTimeoutException.class);
    proxy.stall(false);
    accepted.setSoTimeout(SOON_MS);
    assertThat(accepted.getInputStream().read()).isEqualTo(3);
  }

  @Test
  void refusedConnectionShouldEndAtOnce() throws IOException {
    proxy.refuse(true);
    try (Socket refused = new Socket(proxy.address().getAddress(), proxy.address().getPort())) {
      refused.setSoTimeout(SOON_MS);
      assertThatThrownBy(() -> refused.getInputStream().read())
          .isInstanceOf(IOException.class)
          .isNotInstanceOf(SocketTimeoutException.class);
    }
  }
}
