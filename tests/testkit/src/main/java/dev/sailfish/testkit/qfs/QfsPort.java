package dev.sailfish.testkit.qfs;

import dev.sailfish.testkit.FreePort;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * One listening port of the loopback address; a thread for each connection. Can be stopped, which
 * closes its connections, and started again on the same port.
 */
final class QfsPort implements Closeable {
  private static final AtomicLong CONNECTIONS = new AtomicLong();
  private static final long STOP_MS = 10_000;

  private final String name;
  private final QfsFaults faults;
  private final Function<WireRequest, WireReply> service;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final int port;
  private ServerSocket listener;
  private Thread acceptor;

  /**
   * @param name of its threads
   * @param service answers a request, or null for none; called by many threads at once
   */
  QfsPort(String name, QfsFaults faults, Function<WireRequest, WireReply> service) {
    this.name = name;
    this.faults = faults;
    this.service = service;
    port = FreePort.next();
    start();
  }

  int port() {
    return port;
  }

  synchronized boolean isUp() {
    return listener != null;
  }

  synchronized void start() {
    if (listener == null) {
      listener = listen(port);
      acceptor = accept(listener);
    }
  }

  /** Closes the port and every connection; requests under way are not answered. */
  synchronized void stop() {
    if (listener != null) {
      closeQuietly(listener);
      listener = null;
      awaitEnd(acceptor);
    }
    dropConnections();
  }

  /** Closes every connection; new ones are taken. */
  void dropConnections() {
    open.forEach(QfsPort::closeQuietly);
  }

  int openConnections() {
    return open.size();
  }

  @Override
  public void close() {
    stop();
  }

  private static ServerSocket listen(int port) {
    try {
      ServerSocket socket = new ServerSocket();
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return socket;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot listen on port " + port, e);
    }
  }

  private Thread accept(ServerSocket from) {
    return daemon(name + " accept", () -> acceptAll(from));
  }

  /**
   * The kernel keeps a closed port until the thread that waits for connections has left it; only
   * then can the port be taken again.
   */
  private static void awaitEnd(Thread acceptor) {
    try {
      acceptor.join(STOP_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (acceptor.isAlive()) {
      throw new IllegalStateException(acceptor.getName() + " did not end in " + STOP_MS + " ms");
    }
  }

  private void acceptAll(ServerSocket from) {
    while (!from.isClosed()) {
      try {
        Socket socket = from.accept();
        socket.setTcpNoDelay(true);
        open.add(socket);
        long connection = CONNECTIONS.incrementAndGet();
        daemon(name + " connection " + connection, () -> serve(socket, connection));
        if (from.isClosed()) {
          closeQuietly(socket);
        }
      } catch (IOException stopped) {
        closeQuietly(from);
      }
    }
  }

  private void serve(Socket socket, long connection) {
    try (socket) {
      RequestReader reader = new RequestReader(socket.getInputStream(), connection);
      ReplyWriter writer = new ReplyWriter(socket.getOutputStream());
      WireRequest request = reader.next();
      while (request != null && answer(request, writer)) {
        request = reader.next();
      }
    } catch (IOException gone) {
      closeQuietly(socket);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    } finally {
      open.remove(socket);
    }
  }

  /** Whether the connection goes on. */
  private boolean answer(WireRequest request, ReplyWriter writer)
      throws IOException, InterruptedException {
    QfsFault fault = faults.match(request.operation());
    if (fault == null) {
      writer.write(reply(request));
      return true;
    }
    switch (fault.kind()) {
      case REFUSE -> writer.write(WireReply.refusal(request, fault.value(), "a fault of the test"));
      case LOSE_REPLY -> reply(request);
      case LOSE_REQUEST -> {}
      case HANG -> faults.hang();
      case CLOSE_BEFORE -> {}
      case CLOSE_AFTER -> reply(request);
      default -> writer.writeWith(fault.kind(), reply(request));
    }
    return switch (fault.kind()) {
      case HANG, CLOSE_BEFORE, CLOSE_AFTER, CUT_BODY, CUT_HEADER -> false;
      default -> true;
    };
  }

  private WireReply reply(WireRequest request) {
    try {
      return service.apply(request);
    } catch (WireRequest.MalformedRequestException malformed) {
      return WireReply.refusal(request, QfsStatus.INVALID, malformed.getMessage());
    }
  }

  private static Thread daemon(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private static void closeQuietly(Closeable closeable) {
    try {
      closeable.close();
    } catch (IOException alreadyGone) {
      // Nothing is left to close.
    }
  }
}
