package dev.sailfish.simulation;

import dev.sailfish.ground.wire.Network;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.simulator.Actor;
import dev.sailfish.simulator.Internet;
import dev.sailfish.simulator.SimulatedNetwork;
import dev.sailfish.simulator.SimulatedProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** A command that asks the metaserver for something, again and again until it is done. */
final class Tool {
  private static final Duration DEADLINE = Duration.ofSeconds(5);
  private static final long AGAIN_NS = 500_000_000;

  /** What is asked. */
  interface Question {
    /** Asks once. */
    void ask(MetaserverClient client) throws IOException;
  }

  private final Internet internet;
  private final Actor actor;
  private final Network network;
  private final Keys keys;

  Tool(Internet internet, Keys keys, String name) {
    this.keys = keys;
    this.internet = internet;
    this.actor = new Actor(internet.scheduler(), name, new SimulatedProcess(name));
    this.network = new SimulatedNetwork(internet, actor);
  }

  /**
   * Begins to ask.
   *
   * @param done run when it was answered
   */
  void ask(Question question, Runnable done) {
    internet
        .scheduler()
        .start(
            actor,
            () -> {
              while (!isAnswered(question)) {
                network.pause(network.nanoTime() + AGAIN_NS, "asking again");
              }
            },
            failure -> {
              if (failure != null) {
                throw new AssertionError(actor + " failed", failure);
              }
              done.run();
            });
  }

  private boolean isAnswered(Question question) {
    try (MetaserverClient client =
        MetaserverClient.connect(
            network,
            List.of(Cluster.metaserverAddress()),
            actor.name(),
            keys.cluster(),
            DEADLINE)) {
      question.ask(client);
      return true;
    } catch (IOException notYet) {
      return false;
    }
  }
}
