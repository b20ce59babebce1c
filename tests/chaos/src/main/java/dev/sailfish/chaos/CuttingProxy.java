package dev.sailfish.chaos;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Stands before a server's port, passes bytes on in both directions, and can behave like a bad
 * network. Two threads for each connection.
 */
public final class CuttingProxy implements Closeable {
  private static final int CONNECT_MS = 5_000;
  private static final int BUFFER = 64 << 10;
  private static final long LONGEST_STALL_S = 120;

  private final ServerSocket listener;
  private final String name;
  private final InetSocketAddress target;
  private final List<Pair> pairs = new CopyOnWriteArrayList<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition flows = lock.newCondition();
  private boolean stalled;
  private volatile boolean refusing;

  /** Connections that were refused, and pieces that were held back. */
  private final AtomicInteger disturbed = new AtomicInteger();

  private CuttingProxy(String name, ServerSocket listener, InetSocketAddress target) {
    this.name = name;
    this.listener = listener;
    this.target = target;
  }

  /**
   * Listens at one address and passes on to another.
   *
   * @param name of the server, for messages
   */
  public static CuttingProxy start(String name, InetSocketAddress address, InetSocketAddress target)
      throws IOException {
    ServerSocket listener = new ServerSocket();
    listener.setReuseAddress(true);
    listener.bind(address);
    CuttingProxy proxy = new CuttingProxy(name, listener, target);
    thread(proxy::accept, "proxy " + target);
    return proxy;
  }

  private static void thread(Runnable work, String name) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return (InetSocketAddress) listener.getLocalSocketAddress();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        if (refusing) {
          disturbed.incrementAndGet();
          reset(client);
        } else {
          thread(() -> connect(client), "proxy connection");
        }
      } catch (IOException e) {
        if (!listener.isClosed()) {
          System.err.println("proxy before " + target + ": " + e);
        }
      }
    }
  }

  private void connect(Socket client) {
    Socket server = new Socket();
    try {
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      server.connect(target, CONNECT_MS);
    } catch (IOException e) {
      reset(client); // the server is down: the client is told so
      closeUnconnected(server);
      return;
    }
    try {
      // Before anybody may half-close a side: then it has no streams to give any more.
      InputStream requests = client.getInputStream();
      OutputStream answers = client.getOutputStream();
      InputStream fromServer = server.getInputStream();
      OutputStream toServer = server.getOutputStream();
      Pair pair = new Pair(client, server);
      pairs.add(pair);
      thread(() -> pump(pair, fromServer, answers, client), "proxy answers");
      pump(pair, requests, toServer, server);
    } catch (IOException e) {
      reset(client);
      reset(server);
    }
  }

  private static void closeUnconnected(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      System.err.println("proxy cannot close " + socket + ": " + e);
    }
  }

  /** Passes on what comes in until it ends; then {@code to}, which {@code out} belongs to, ends. */
  private void pump(Pair pair, InputStream in, OutputStream out, Socket to) {
    byte[] buffer = new byte[BUFFER];
    try {
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        awaitFlow();
        out.write(buffer, 0, read);
      }
      to.shutdownOutput();
      if (pair.ended()) {
        pair.close();
        pairs.remove(pair);
      }
    } catch (IOException | InterruptedException e) {
      pair.reset(); // one side is gone: so is the other
      pairs.remove(pair);
    }
  }

  private void awaitFlow() throws InterruptedException, IOException {
    lock.lockInterruptibly();
    try {
      if (stalled) {
        disturbed.incrementAndGet();
      }
      long leftNs = TimeUnit.SECONDS.toNanos(LONGEST_STALL_S);
      while (stalled) {
        leftNs = flows.awaitNanos(leftNs);
        if (leftNs <= 0) {
          throw new IOException("stalled for " + LONGEST_STALL_S + " s");
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Resets all connections; returns how many. */
  public int cut() {
    int cut = 0;
    for (Pair pair : pairs) {
      pair.reset();
      pairs.remove(pair);
      cut++;
    }
    return cut;
  }

  /** Tells all clients that no answer will come, and goes on to pass on their requests. */
  public int halfClose() throws IOException {
    int closed = 0;
    for (Pair pair : pairs) {
      if (!pair.client().isOutputShutdown() && !pair.client().isClosed()) {
        pair.client().shutdownOutput();
        closed++;
      }
    }
    return closed;
  }

  /** Passes nothing on until told otherwise; connections stay open. Returns how many there are. */
  public int stall(boolean stall) {
    lock.lock();
    try {
      stalled = stall;
      flows.signalAll();
      return pairs.size();
    } finally {
      lock.unlock();
    }
  }

  /** How often somebody met {@link #stall} or {@link #refuse} so far. */
  public int disturbed() {
    return disturbed.get();
  }

  /** Resets new connections until told otherwise. */
  public void refuse(boolean refuse) {
    refusing = refuse;
  }

  private static void reset(Socket socket) {
    if (socket.isClosed()) {
      return;
    }
    try {
      socket.setSoLinger(true, 0);
      socket.close();
    } catch (IOException e) {
      System.err.println("proxy cannot close " + socket + ": " + e);
    }
  }

  @Override
  public String toString() {
    return name;
  }

  @Override
  public void close() throws IOException {
    listener.close();
    stall(false);
    cut();
  }

  /** A client's connection and the one to the server that belongs to it. */
  private static final class Pair {
    private final Socket client;
    private final Socket server;
    private int ends;

    Pair(Socket client, Socket server) {
      this.client = client;
      this.server = server;
    }

    Socket client() {
      return client;
    }

    /** One direction has ended; returns whether both have. */
    synchronized boolean ended() {
      ends++;
      return ends == 2;
    }

    void close() throws IOException {
      client.close();
      server.close();
    }

    void reset() {
      CuttingProxy.reset(client);
      CuttingProxy.reset(server);
    }
  }
}
