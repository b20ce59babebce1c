package dev.sailfish.lineage.qfs.meta;

import dev.sailfish.lineage.qfs.wire.Clock;
import dev.sailfish.lineage.qfs.wire.QfsException;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The read leases of one client: while one holds, the metaserver keeps the chunk as it is. One
 * daemon thread renews all of them, from the first one on. A lease that cannot be renewed is let
 * go: reading goes on without it, and each byte is checked anyway. Thread-safe.
 */
public final class ReadLeases implements Closeable {
  /** How long a metaserver's lease is good. */
  public static final Duration GOOD = Duration.ofSeconds(300);

  private static final long RENEW_AFTER_NS = GOOD.toNanos() / 3;
  private static final long LOOK_EACH_MS = 1_000;

  private final MetaClient meta;
  private final Clock clock;
  private final Map<Long, Lease> held = new ConcurrentHashMap<>();
  private Thread renewer;
  private boolean closed;

  /** None are held yet. */
  public ReadLeases(MetaClient meta, Clock clock) {
    this.meta = meta;
    this.clock = clock;
  }

  /** A lease and those who need it. */
  private static final class Lease {
    private final String path;
    private final long id;
    private int users = 1;
    private long renewedNs;

    Lease(String path, long id, long nowNs) {
      this.path = path;
      this.id = id;
      this.renewedNs = nowNs;
    }
  }

  /**
   * Gets a lease on a chunk, or shares the one that this client has.
   *
   * @return false: the metaserver gives none now, as somebody writes to the chunk
   */
  public boolean acquire(String path, long chunk) throws IOException {
    synchronized (this) {
      Lease shared = held.get(chunk);
      if (shared != null) {
        shared.users++;
        return true;
      }
    }
    long id;
    try {
      id = meta.acquireReadLease(path, chunk, false);
    } catch (QfsException e) {
      if (e.error().mayPass()) {
        return false;
      }
      throw e;
    }
    synchronized (this) {
      Lease other = held.get(chunk);
      if (other == null) {
        held.put(chunk, new Lease(path, id, clock.nanoTime()));
      } else {
        other.users++;
      }
      start();
    }
    return true;
  }

  /** Gives up one use of a lease; the last one tells the metaserver, as well as that goes. */
  public void release(long chunk) {
    Lease last;
    synchronized (this) {
      Lease lease = held.get(chunk);
      if (lease == null || --lease.users > 0) {
        return;
      }
      last = held.remove(chunk);
    }
    try {
      meta.relinquishReadLease(last.path, chunk, last.id);
    } catch (IOException e) {
      // All was read and checked; what the metaserver did not hear of runs out.
      last.users = 0;
    }
  }

  /** How many are held. */
  public int size() {
    return held.size();
  }

  private void start() {
    if (renewer == null && !closed) {
      renewer = new Thread(this::renewAll, "qfs leases");
      renewer.setDaemon(true);
      renewer.start();
    }
  }

  private synchronized boolean awaitLook() {
    try {
      if (!closed) {
        wait(held.isEmpty() ? TimeUnit.NANOSECONDS.toMillis(RENEW_AFTER_NS) : LOOK_EACH_MS);
      }
    } catch (InterruptedException e) {
      // This thread belongs to the leases alone.
      return false;
    }
    return !closed;
  }

  private void renewAll() {
    while (awaitLook()) {
      renewDue(clock.nanoTime());
    }
  }

  /** Renews what is a third of its time old. */
  void renewDue(long nowNs) {
    for (Map.Entry<Long, Lease> entry : held.entrySet()) {
      Lease lease = entry.getValue();
      if (nowNs - lease.renewedNs < RENEW_AFTER_NS) {
        continue;
      }
      try {
        meta.renewReadLease(lease.path, entry.getKey(), lease.id);
        lease.renewedNs = nowNs;
      } catch (IOException e) {
        held.remove(entry.getKey(), lease);
      }
    }
  }

  /** Ends the renewing; the metaserver lets the leases run out. */
  @Override
  public synchronized void close() {
    closed = true;
    held.clear();
    notifyAll();
  }
}
