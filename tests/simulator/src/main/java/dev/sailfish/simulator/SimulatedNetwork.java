package dev.sailfish.simulator;

import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.Wire;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;

/** The network as one actor sees it. */
public final class SimulatedNetwork extends Network {
  private final Internet internet;
  private final Actor actor;

  /**
   * @param actor who connects and waits, on its own thread
   */
  public SimulatedNetwork(Internet internet, Actor actor) {
    this.internet = internet;
    this.actor = actor;
  }

  @Override
  public Wire open(InetSocketAddress address) {
    actor.checkAlive();
    return new Link(internet, actor, address.getPort());
  }

  @Override
  public long nanoTime() {
    return internet.scheduler().nowNs();
  }

  @Override
  public void pause(long untilNs, String what) throws InterruptedIOException {
    actor.checkAlive();
    Scheduler scheduler = internet.scheduler();
    while (untilNs > scheduler.nowNs() && !Thread.currentThread().isInterrupted()) {
      scheduler.resume(actor, actor.turn(), untilNs - scheduler.nowNs());
      actor.yield();
    }
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException("interrupted: " + what);
    }
  }
}
