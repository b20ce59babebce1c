package dev.sailfish.protocol.client;

import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/**
 * Keeps a job alive while a task works that says nothing to the metaserver: a map that computes, a
 * reduce that has read everything. A daemon thread that sleeps for a third of the lease, renews it
 * over a connection of its own, and sleeps again; most tasks end before its first renewal. It ends
 * with {@link #close}, when the job has ended, or when the thread that started it does.
 *
 * <p>A renewal that fails is tried again after a tenth of the interval, and the first failure is
 * logged; the task does not fail by it. Thread-safe.
 */
public final class LeaseKeeper implements Closeable, Runnable {
  /** How often leases are renewed whose length is not known, in ms. */
  private static final long DEFAULT_INTERVAL_MS = 60_000;

  private static final Duration REPLY_DEADLINE = Duration.ofSeconds(5);

  private final Network network;
  private final List<InetSocketAddress> metaservers;
  private final String job;
  private final String caller;
  private final Credentials credentials;
  private final Thread owner = Thread.currentThread();
  private boolean closed;
  private long intervalMs = DEFAULT_INTERVAL_MS;
  private boolean failureLogged;

  private LeaseKeeper(
      Network network,
      List<InetSocketAddress> metaservers,
      String job,
      String caller,
      Credentials credentials) {
    this.network = network;
    this.metaservers = metaservers;
    this.job = job;
    this.caller = caller;
    this.credentials = credentials;
  }

  /**
   * Starts to keep a job alive for the calling thread.
   *
   * @param metaservers addresses of all of them
   * @param job its name
   * @param caller whose job it is, for the servers' logs
   */
  public static LeaseKeeper start(
      Network network,
      List<InetSocketAddress> metaservers,
      String job,
      String caller,
      Credentials credentials) {
    LeaseKeeper keeper = new LeaseKeeper(network, metaservers, job, caller, credentials);
    Thread thread = new Thread(keeper, "sailfish-lease");
    thread.setDaemon(true);
    thread.start();
    return keeper;
  }

  /** Tells how long the lease is, in ms; 0 when that is not known. */
  public synchronized void leaseLasts(long leaseMs) {
    long third = leaseMs > 0 ? Math.max(1, leaseMs / 3) : DEFAULT_INTERVAL_MS;
    if (third != intervalMs) {
      intervalMs = third;
      notifyAll();
    }
  }

  /** For its own thread. */
  @Override
  public void run() {
    boolean renewed = true;
    try {
      while (sleep(renewed) && owner.isAlive()) {
        renewed = renew();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // nobody but the end of the JVM does that
    }
  }

  /**
   * Sleeps until the lease is to be renewed.
   *
   * @return false when it is not
   */
  private synchronized boolean sleep(boolean renewed) throws InterruptedException {
    long startNs = System.nanoTime();
    while (!closed) {
      long waitMs = renewed ? intervalMs : Math.max(1, intervalMs / 10);
      long leftMs = waitMs - (System.nanoTime() - startNs) / 1_000_000;
      if (leftMs <= 0) {
        return true;
      }
      wait(leftMs);
    }
    return false;
  }

  private boolean renew() {
    try (MetaserverClient client =
        MetaserverClient.connect(network, metaservers, caller, credentials, REPLY_DEADLINE)) {
      client.renewLease(credentials.jobId(job));
      return true;
    } catch (IOException e) {
      if (e instanceof RemoteException refusal && refusal.status() == Status.JOB_UNKNOWN) {
        close();
      } else {
        logFailure(e);
      }
      return false;
    }
  }

  private void logFailure(IOException failure) {
    if (!failureLogged) {
      failureLogged = true;
      System.getLogger("dev.sailfish.protocol")
          .log(
              System.Logger.Level.WARNING,
              "cannot renew the lease of job="
                  + job
                  + " now, and tries again until the task ends: "
                  + failure.getMessage());
    }
  }

  /** Ends the renewals; one that is under way may still arrive. */
  @Override
  public synchronized void close() {
    closed = true;
    notifyAll();
  }
}
