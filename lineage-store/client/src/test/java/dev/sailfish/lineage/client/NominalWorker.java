package dev.sailfish.lineage.client;

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
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A worker as far as masters see: it lives, and has no blocks. For tests of names alone. */
final class NominalWorker implements Closeable {
  private static final RetryPolicy RETRY = new RetryPolicy(2, 100);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final LeaderClient masters;
  private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
  private volatile int number;

  NominalWorker(List<InetSocketAddress> addresses, Credentials credentials) throws IOException {
    masters =
        new LeaderClient(
            Network.SOCKETS, addresses, "nominal worker", credentials, Duration.ofSeconds(3));
    register();
    thread.scheduleWithFixedDelay(this::beat, 100, 100, TimeUnit.MILLISECONDS);
  }

  private void register() throws IOException {
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
  }

  private void beat() {
    try {
      WorkerHeartbeatRequest asked = WorkerHeartbeatRequest.newBuilder().setWorker(number).build();
      WorkerHeartbeatResponse response =
          masters.call(
              LineageService.WORKER_HEARTBEAT,
              asked,
              WorkerHeartbeatResponse.parser(),
              RETRY,
              PATIENCE);
      if (response.getUnknown()) {
        register();
      }
    } catch (IOException e) {
      throw new AssertionError("the worker is not heard", e);
    }
  }

  /** Where all blocks are of a file of this length. */
  List<Integer> places(long length, int blockSizeLog) {
    int blocks = (int) ((length + (1L << blockSizeLog) - 1) >> blockSizeLog);
    return Collections.nCopies(blocks, number << 2);
  }

  @Override
  public void close() {
    thread.shutdownNow();
    masters.close();
  }
}
