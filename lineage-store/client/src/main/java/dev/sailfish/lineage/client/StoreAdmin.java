package dev.sailfish.lineage.client;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import dev.sailfish.ground.wire.LeaderClient;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.RetryPolicy;
import dev.sailfish.lineage.protocol.LineageService;
import dev.sailfish.lineage.protocol.wire.BalanceRequest;
import dev.sailfish.lineage.protocol.wire.BalanceResponse;
import dev.sailfish.lineage.protocol.wire.DrainWorkerRequest;
import dev.sailfish.lineage.protocol.wire.DrainWorkerResponse;
import dev.sailfish.lineage.protocol.wire.ReportRequest;
import dev.sailfish.lineage.protocol.wire.ReportResponse;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;

/** What operators ask the leading master for. Thread-safe; threads wait for each other. */
public final class StoreAdmin implements Closeable {
  private static final Duration DEADLINE = Duration.ofSeconds(10);
  private static final RetryPolicy RETRY = new RetryPolicy(2, 100);

  private final LeaderClient leader;
  private final Duration patience;

  /** Does not connect yet; with the credentials of the cluster. */
  public StoreAdmin(StoreClientConfig config) {
    leader =
        new LeaderClient(
            config.network(), config.masters(), "store admin", config.credentials(), DEADLINE);
    patience = config.patience();
  }

  /** Workers, counts, and what is wrong; the first one after a while does not know all. */
  public ReportResponse report() throws IOException {
    return call(LineageService.REPORT, ReportRequest.getDefaultInstance(), ReportResponse.parser());
  }

  /**
   * Has a worker take no new blocks, and others copy what it alone has; to be called again until it
   * is drained.
   *
   * @param worker {@code HOST:PORT}, or its number
   * @param returns whether it is going to be started again with what it has, so that nothing has to
   *     be copied
   * @throws StoreRefusedException when there is no such worker
   */
  public DrainWorkerResponse drain(String worker, boolean returns) throws IOException {
    DrainWorkerRequest asked =
        DrainWorkerRequest.newBuilder().setWorker(worker).setReturns(returns).build();
    DrainWorkerResponse response =
        call(LineageService.DRAIN_WORKER, asked, DrainWorkerResponse.parser());
    if (response.hasRefusal()) {
      throw new StoreRefusedException(response.getRefusal());
    }
    return response;
  }

  /**
   * Has some blocks moved from the fullest worker to the emptiest; to be called again until there
   * is nothing to be moved.
   *
   * @param threshold the difference of use that is left, in hundredths
   * @param bytes how many are to be moved because of this call, at most
   */
  public BalanceResponse balance(int threshold, long bytes) throws IOException {
    BalanceRequest asked =
        BalanceRequest.newBuilder().setThreshold(threshold).setBytes(bytes).build();
    return call(LineageService.BALANCE, asked, BalanceResponse.parser());
  }

  private synchronized <Q extends MessageLite, A extends MessageLite> A call(
      Operation<Q, A> operation, Q request, Parser<A> parser) throws IOException {
    return leader.call(operation, request, parser, RETRY, patience);
  }

  @Override
  public synchronized void close() {
    leader.close();
  }
}
