package dev.sailfish.metaserver.rpc;

import dev.sailfish.ground.server.guard.BoundedPool;
import dev.sailfish.metaserver.Metaserver;
import dev.sailfish.metaserver.state.ServerProbe;
import java.io.Closeable;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks by connecting, and closes the connection at once. */
public final class SocketProbe implements ServerProbe, Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(SocketProbe.class);
  private static final int THREADS = 16;
  private static final int WAITING = 10_000;

  private final int deadlineMs;
  private final BoundedPool threads = new BoundedPool(Metaserver.NAME + "-probe", THREADS, WAITING);

  /**
   * @param deadline of each try to connect
   */
  public SocketProbe(Duration deadline) {
    this.deadlineMs = (int) deadline.toMillis();
  }

  @Override
  public CompletableFuture<Answer> ask(String host, int port) {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    try {
      threads.execute(() -> answer.complete(connect(host, port)));
    } catch (RejectedExecutionException e) {
      LOG.debug("{}:{} is not asked, too many wait", host, port, e);
      answer.complete(Answer.NO_ANSWER);
    }
    return answer;
  }

  private Answer connect(String host, int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(host, port), deadlineMs);
      return Answer.CONNECTED;
    } catch (ConnectException e) {
      // The deadline is shorter than the kernel's own, so it is not for want of an answer.
      LOG.debug("{}:{} refuses connections", host, port, e);
      return Answer.REFUSED;
    } catch (IOException | RuntimeException e) {
      LOG.debug("{}:{} does not answer", host, port, e);
      return Answer.NO_ANSWER;
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
