package dev.sailfish.testkit.qfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class QfsPortTest {
  private final QfsPort port = new QfsPort("test", new QfsFaults(), request -> null);

  @AfterEach
  void tearDown() {
    port.close();
  }

  @Test
  void startsAgainOnTheSamePortAtOnceEachTime() throws IOException {
    for (int i = 0; i < 2000; i++) {
      port.stop();
      assertFalse(port.isUp());
      port.start();
      assertTrue(port.isUp());
    }
    try (Socket socket = connect()) {
      assertEquals(port.port(), socket.getPort());
    }
  }

  @Test
  void takesNoConnectionWhileItIsStopped() {
    port.stop();
    assertThrows(ConnectException.class, () -> connect().close());
  }

  private Socket connect() throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), port.port());
  }
}
