package dev.sailfish.lineage.master;

import dev.sailfish.ground.server.guard.BoundedPool;
import dev.sailfish.ground.server.racks.RackResolver;
import dev.sailfish.lineage.master.namespace.Worker;
import dev.sailfish.lineage.master.state.StoreMessages;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import java.io.Closeable;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says which workers are in the rack of a client. Hosts of which nothing is known share no rack.
 * Nobody waits: a host whose rack has to be asked for counts as one of those meanwhile.
 * Thread-safe.
 */
final class WorkerRacks implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(WorkerRacks.class);
  private static final int MOST_WAITING = 1_000;

  private final RackResolver resolver;
  private final BoundedPool threads =
      new BoundedPool(LineageMaster.NAME + "-racks", 1, MOST_WAITING);

  WorkerRacks(RackResolver resolver) {
    this.resolver = resolver;
  }

  /**
   * A worker as it is told to a client.
   *
   * @param host the client's; may be empty
   */
  WorkerAddress address(Worker worker, String host) {
    WorkerAddress address = StoreMessages.address(worker);
    return isInSameRack(worker, host) ? address.toBuilder().setSameRack(true).build() : address;
  }

  private boolean isInSameRack(Worker worker, String host) {
    if (host.isEmpty()) {
      return false;
    }
    String rack = rack(worker.host());
    boolean isKnown = rack != null && !rack.equals(RackResolver.DEFAULT_RACK);
    return isKnown && rack.equals(rack(host));
  }

  /** Null: it is not known yet. */
  private String rack(String host) {
    String known = resolver.known(host);
    if (known == null) {
      try {
        threads.execute(() -> resolver.resolve(host));
      } catch (RejectedExecutionException e) {
        LOG.debug("the rack of {} is asked for later: many are being asked for", host, e);
      }
    }
    return known;
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
