package dev.sailfish.metaserver.rpc;

import dev.sailfish.ground.server.Request;
import java.io.Closeable;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work that waits for one thread, in a queue for each address that it comes from. The addresses
 * take turns, so that one that brings much does not hold up the others. Thread-safe.
 */
public final class FairQueue implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(FairQueue.class);

  /** What waits is few kilobytes each, and all who wait have a connection, or had one. */
  private static final int LIMIT = 1024;

  private static final int LIMIT_OF_ADDRESS = 256;

  private final ExecutorService thread;
  private final int limit;
  // Guarded by this object's monitor: the address whose turn it is comes first; none is empty.
  private final Map<InetAddress, Deque<Runnable>> waiting = new LinkedHashMap<>();
  private int size;

  /**
   * @param thread runs one task at a time; is shut down with this object
   */
  public FairQueue(ExecutorService thread) {
    this(thread, LIMIT);
  }

  /**
   * @param limit how much may wait in all
   */
  public FairQueue(ExecutorService thread, int limit) {
    this.thread = thread;
    this.limit = limit;
  }

  /** Address that a request comes from. */
  static InetAddress address(Request request) {
    return request.peer() instanceof InetSocketAddress peer
        ? peer.getAddress()
        : InetAddress.getLoopbackAddress();
  }

  /**
   * Has work done later.
   *
   * @return false when too much waits, in all or of this address; then it is not done
   */
  boolean offer(InetAddress from, Runnable work) {
    synchronized (this) {
      Deque<Runnable> same = waiting.computeIfAbsent(from, address -> new ArrayDeque<>());
      if (size >= limit || same.size() >= LIMIT_OF_ADDRESS) {
        waiting.values().removeIf(Deque::isEmpty);
        return false;
      }
      same.add(work);
      size++;
    }
    thread.execute(this::runNext);
    return true;
  }

  private void runNext() {
    try {
      take().run();
    } catch (RuntimeException e) {
      LOG.error("what waited for its turn failed, and others go on", e);
    }
  }

  private synchronized Runnable take() {
    InetAddress from = waiting.keySet().iterator().next();
    Deque<Runnable> same = waiting.remove(from);
    Runnable work = same.remove();
    if (!same.isEmpty()) {
      waiting.put(from, same);
    }
    size--;
    return work;
  }

  /** Ends it; what waits is not done, because all connections end then too. */
  @Override
  public void close() {
    thread.shutdownNow();
  }
}
