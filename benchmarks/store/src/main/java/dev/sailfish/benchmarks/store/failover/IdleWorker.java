package dev.sailfish.benchmarks.store.failover;

import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.LeaderClient;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.RetryPolicy;
import dev.sailfish.lineage.protocol.LineageService;
import dev.sailfish.lineage.protocol.wire.RegisterWorkerRequest;
import dev.sailfish.lineage.protocol.wire.RegisterWorkerResponse;
import dev.sailfish.lineage.protocol.wire.WorkerHeartbeatRequest;
import dev.sailfish.lineage.protocol.wire.WorkerHeartbeatResponse;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A worker as far as masters see: it lives, and is said to have the blocks of all files. */
final class IdleWorker implements Closeable {
  private static final RetryPolicy RETRY = new RetryPolicy(10, 200);
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final long PERIOD_MS = 500;

  private final LeaderClient masters;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(FailoverMain::thread);
  private final int number;

  IdleWorker(List<InetSocketAddress> addresses, Credentials credentials) throws IOException {
    masters =
        new LeaderClient(
            Network.SOCKETS, addresses, "idle worker", credentials, Duration.ofSeconds(10));
    RegisterWorkerRequest asked =
        RegisterWorkerRequest.newBuilder().setId(1).setHost("localhost").setPort(1).build();
    number =
        masters
            .call(
                LineageService.REGISTER_WORKER,
                asked,
                RegisterWorkerResponse.parser(),
                RETRY,
                PATIENCE)
            .getNumber();
    thread.scheduleWithFixedDelay(this::beat, PERIOD_MS, PERIOD_MS, TimeUnit.MILLISECONDS);
  }

  private void beat() {
    try {
      masters.call(
          LineageService.WORKER_HEARTBEAT,
          WorkerHeartbeatRequest.newBuilder().setWorker(number).build(),
          WorkerHeartbeatResponse.parser(),
          RETRY,
          PATIENCE);
    } catch (IOException e) {
      throw new IllegalStateException("no master hears the worker", e);
    }
  }

  /** Where a block in its memory is. */
  int place() {
    return number << 2;
  }

  @Override
  public void close() {
    thread.shutdownNow();
    masters.close();
  }
}
