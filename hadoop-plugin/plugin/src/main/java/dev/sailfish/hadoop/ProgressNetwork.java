package dev.sailfish.hadoop;

import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.Wire;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.apache.hadoop.util.Progressable;

/**
 * A network whose every look at the clock is progress of the task. Clients look at it when they
 * begin and end a wait, and wait for a reply no longer than a fraction of their deadline at a time:
 * so a task that waits for a server is not killed after {@code mapreduce.task.timeout}, as it is
 * not with stock, whose tasks report progress while they wait too. Each wait ends at its own
 * deadline.
 */
final class ProgressNetwork extends Network {
  private final Network network;
  private final Progressable task;

  ProgressNetwork(Network network, Progressable task) {
    this.network = network;
    this.task = task;
  }

  @Override
  public Wire open(InetSocketAddress address) throws IOException {
    return network.open(address);
  }

  @Override
  public long nanoTime() {
    task.progress();
    return network.nanoTime();
  }
}
