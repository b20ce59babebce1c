package dev.sailfish.counter;

import dev.sailfish.counter.message.Counter;
import dev.sailfish.counter.message.Counters;
import dev.sailfish.counter.message.IncrementRequest;
import dev.sailfish.counter.message.ListRequest;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.LeaderClient;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.RetryPolicy;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/** Asks the peer that leads, again and again until there is one. For one thread at a time. */
final class CounterClient implements Closeable {
  private static final Duration DEADLINE = Duration.ofSeconds(5);
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final RetryPolicy RETRY = new RetryPolicy(2, 100);

  private final String name;
  private final LeaderClient leader;
  private long number;

  /**
   * @param name unique among all clients
   */
  CounterClient(List<InetSocketAddress> peers, String name, Credentials credentials) {
    this.name = name;
    this.leader = new LeaderClient(Network.SOCKETS, peers, name, credentials, DEADLINE);
  }

  /** Counts one more; what is acknowledged was counted once, what fails at most once. */
  long increment(String job) throws IOException {
    IncrementRequest request =
        IncrementRequest.newBuilder().setJob(job).setClient(name).setNumber(++number).build();
    return leader
        .call(CounterService.INCREMENT, request, Counter.parser(), RETRY, PATIENCE)
        .getValue();
  }

  /** All counters. */
  Counters list() throws IOException {
    ListRequest request = ListRequest.getDefaultInstance();
    return leader.call(CounterService.LIST, request, Counters.parser(), RETRY, PATIENCE);
  }

  @Override
  public void close() {
    leader.close();
  }
}
