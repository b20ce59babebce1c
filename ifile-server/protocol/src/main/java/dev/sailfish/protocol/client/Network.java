package dev.sailfish.protocol.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.util.concurrent.locks.LockSupport;

/**
 * What a client stands on: wires to servers, and the time in which it waits for them. This one is
 * TCP and the clock of this machine; a subclass may open other wires. All that a client does with
 * servers and time goes through its network, so what it does depends on nothing else. Thread-safe;
 * one may serve many clients.
 */
public class Network {
  /** Plain TCP. */
  public static final Network SOCKETS = new Network();

  /** For subclasses; others take {@link #SOCKETS}. */
  protected Network() {}

  /**
   * Makes a wire that is not connected yet; the caller closes it.
   *
   * @param address host and port of the server, resolved
   */
  public Wire open(InetSocketAddress address) throws IOException {
    return new SocketWire(address);
  }

  /** Time in nanoseconds, like {@link System#nanoTime}: only differences mean anything. */
  public long nanoTime() {
    return System.nanoTime();
  }

  /**
   * Waits on the caller's thread.
   *
   * @param untilNs when {@link #nanoTime} is to be at the end; may be past
   * @param what is waited for, for the message
   * @throws InterruptedIOException at once when the thread is or gets interrupted
   */
  public void pause(long untilNs, String what) throws InterruptedIOException {
    for (long left = untilNs - nanoTime(); left > 0; left = untilNs - nanoTime()) {
      checkInterrupt(what);
      LockSupport.parkNanos(this, left);
    }
    checkInterrupt(what);
  }

  /**
   * Looks whether the calling thread is interrupted, and leaves it so.
   *
   * @param what it does, for the message
   */
  public static void checkInterrupt(String what) throws InterruptedIOException {
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException("interrupted: " + what);
    }
  }
}
