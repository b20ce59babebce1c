package dev.sailfish.ground.server.frame;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;

/** Stands before a server and changes one byte of what the first client sends. */
final class FlippingProxy implements Closeable {
  private final ServerSocket listener;
  private final int target;
  private final int at;

  private FlippingProxy(ServerSocket listener, int target, int at) {
    this.listener = listener;
    this.target = target;
    this.at = at;
  }

  static FlippingProxy start(int target, int at) throws IOException {
    FlippingProxy proxy = new FlippingProxy(new ServerSocket(0), target, at);
    thread(proxy::serve);
    return proxy;
  }

  private static void thread(Runnable work) {
    Thread thread = new Thread(work, "flipping-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  int port() {
    return listener.getLocalPort();
  }

  private void serve() {
    try (Socket client = listener.accept();
        Socket server = new Socket("127.0.0.1", target)) {
      thread(() -> pump(server, client, Integer.MAX_VALUE));
      pump(client, server, at);
    } catch (IOException e) {
      // The test has ended.
    }
  }

  private static void pump(Socket from, Socket to, int flip) {
    byte[] buffer = new byte[8192];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      int passed = 0;
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (passed <= flip && flip < passed + read) {
          buffer[flip - passed] ^= 1;
        }
        passed += read;
        out.write(buffer, 0, read);
      }
      to.shutdownOutput();
    } catch (IOException e) {
      // One side has gone; the other will see it when the sockets are closed.
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
