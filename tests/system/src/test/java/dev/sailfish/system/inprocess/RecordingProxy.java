package dev.sailfish.system.inprocess;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Stands before a server's port, passes bytes on both ways, and keeps them all. */
final class RecordingProxy implements Closeable {
  private final ServerSocket listener;
  private final InetSocketAddress target;
  private final ByteArrayOutputStream record = new ByteArrayOutputStream();

  private RecordingProxy(ServerSocket listener, InetSocketAddress target) {
    this.listener = listener;
    this.target = target;
  }

  /**
   * Begins to listen.
   *
   * @param host a loopback address
   * @param port 0 = any free one
   */
  static RecordingProxy start(String host, int port, InetSocketAddress target) throws IOException {
    ServerSocket listener = new ServerSocket(port, 50, InetAddress.getByName(host));
    RecordingProxy proxy = new RecordingProxy(listener, target);
    thread(proxy::accept);
    return proxy;
  }

  private static void thread(Runnable work) {
    Thread thread = new Thread(work, "recording-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  InetSocketAddress address() {
    return (InetSocketAddress) listener.getLocalSocketAddress();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        Socket server = new Socket(target.getAddress(), target.getPort());
        thread(() -> pump(client, server));
        thread(() -> pump(server, client));
      } catch (IOException e) {
        // The test ends, or the server has: the client will see it.
      }
    }
  }

  private void pump(Socket from, Socket to) {
    byte[] buffer = new byte[64 << 10];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        synchronized (record) {
          record.write(buffer, 0, read);
        }
        out.write(buffer, 0, read);
      }
      to.shutdownOutput();
    } catch (IOException e) {
      // One side has gone.
    }
  }

  /** How many bytes have passed. */
  int bytes() {
    synchronized (record) {
      return record.size();
    }
  }

  /** Whether these characters were among them, in one piece or several. */
  boolean saw(String text) {
    synchronized (record) {
      return record.toString(StandardCharsets.ISO_8859_1).contains(text);
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
