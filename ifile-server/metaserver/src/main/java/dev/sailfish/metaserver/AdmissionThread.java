package dev.sailfish.metaserver;

import java.net.InetAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One thread that does what waits in a {@link FairQueue}. */
final class AdmissionThread implements AdmissionQueue {
  private static final Logger LOG = LoggerFactory.getLogger(AdmissionThread.class);

  /** What waits is few kilobytes each, and all who wait have a connection, or had one. */
  private static final int LIMIT = 1024;

  private static final int LIMIT_OF_ADDRESS = 256;

  private final FairQueue<InetAddress> queue = new FairQueue<>(LIMIT, LIMIT_OF_ADDRESS);
  private final Thread thread;

  AdmissionThread(String name) {
    thread = new Thread(this::run, name);
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public boolean offer(InetAddress from, Runnable work) {
    return queue.offer(from, work);
  }

  private void run() {
    while (true) {
      try {
        queue.take().run();
      } catch (InterruptedException e) {
        return; // closed
      } catch (RuntimeException e) {
        LOG.error("an introduction failed, and others go on", e);
      }
    }
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
