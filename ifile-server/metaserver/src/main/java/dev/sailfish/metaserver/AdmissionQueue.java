package dev.sailfish.metaserver;

import java.io.Closeable;
import java.net.InetAddress;

/** Does work one after the other, in turns of the addresses that it comes from. Thread-safe. */
interface AdmissionQueue extends Closeable {
  /**
   * Has work done that must not throw, now or later.
   *
   * @return false when too much waits, in all or of this address; then it is not done
   */
  boolean offer(InetAddress from, Runnable work);

  /** Ends it; what waits is not done, because all connections end then too. */
  @Override
  void close();
}
