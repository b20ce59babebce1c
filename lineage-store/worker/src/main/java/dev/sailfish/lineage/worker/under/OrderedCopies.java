package dev.sailfish.lineage.worker.under;

import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.lineage.protocol.wire.CheckpointFailure;
import dev.sailfish.lineage.protocol.wire.CheckpointOrder;
import dev.sailfish.lineage.protocol.wire.CheckpointOrders;
import dev.sailfish.lineage.protocol.wire.WorkerHeartbeatRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies that the master has ordered: in the background, some at a time for each mount, so that one
 * that hangs keeps no other one waiting. The master is told with each heartbeat which ones are not
 * done, and which ones failed: it decides when they are tried again. Thread-safe.
 */
public final class OrderedCopies {
  private static final Logger LOG = LoggerFactory.getLogger(OrderedCopies.class);

  private final FileCopies copies;
  private final Pace pace;
  private final Map<Long, CheckpointOrder> inHand = new LinkedHashMap<>();
  private final Map<String, Queue<CheckpointOrder>> waiting = new HashMap<>(); // by mount
  private final Map<String, Integer> running = new HashMap<>(); // by mount
  private final List<CheckpointFailure> failed = new ArrayList<>();
  private int atOnce = 1;

  OrderedCopies(FileCopies copies, Pace pace) {
    this.copies = copies;
    this.pace = pace;
  }

  /** Adds what the master is told: which files are in hand, and what failed since the last time. */
  public synchronized void describe(WorkerHeartbeatRequest.Builder request) {
    request.addAllCheckpointing(inHand.keySet()).addAllCheckpointFailures(failed);
    failed.clear();
  }

  /** Whether there is something to be copied. */
  public synchronized boolean isBusy() {
    return !inHand.isEmpty();
  }

  /** Takes what the master has ordered. */
  public void told(CheckpointOrders orders) {
    Set<String> mounts = new HashSet<>();
    synchronized (this) {
      atOnce = Math.max(1, orders.getAtOnce());
      pace.set(
          orders.getBytesPerSecond(), TimeUnit.MILLISECONDS.toNanos(orders.getLongestPauseMs()));
      for (CheckpointOrder order : orders.getFilesList()) {
        if (inHand.putIfAbsent(order.getFid(), order) == null) {
          waiting.computeIfAbsent(order.getMount(), mount -> new ArrayDeque<>()).add(order);
          mounts.add(order.getMount());
        }
      }
    }
    mounts.forEach(this::start);
  }

  private void start(String mount) {
    for (CheckpointOrder next = take(mount); next != null; next = take(mount)) {
      CheckpointOrder order = next;
      copies
          .copy(order.getFid(), pace, order.getUrgent())
          .whenComplete((done, failure) -> ended(order, failure));
    }
  }

  private synchronized CheckpointOrder take(String mount) {
    Queue<CheckpointOrder> queue = waiting.get(mount);
    if (queue == null || running.getOrDefault(mount, 0) >= atOnce) {
      return null;
    }
    CheckpointOrder next = queue.remove();
    if (queue.isEmpty()) {
      waiting.remove(mount);
    }
    running.merge(mount, 1, Integer::sum);
    return next;
  }

  private void ended(CheckpointOrder order, Throwable failure) {
    synchronized (this) {
      inHand.remove(order.getFid());
      running.computeIfPresent(
          order.getMount(), (mount, count) -> count == 1 ? null : Integer.valueOf(count - 1));
      if (failure != null) {
        failed.add(failure(order.getFid(), cause(failure)));
      }
    }
    start(order.getMount());
  }

  private static Throwable cause(Throwable failure) {
    boolean isWrapped = failure instanceof CompletionException && failure.getCause() != null;
    return isWrapped ? failure.getCause() : failure;
  }

  private static CheckpointFailure failure(long fid, Throwable cause) {
    LOG.debug("fid={} is not copied in the background", fid, cause);
    boolean isOfFile =
        cause instanceof RequestRefusedException refused
            && refused.status() != Status.DEADLINE
            && refused.status() != Status.BUSY
            && refused.status() != Status.INTERNAL;
    return CheckpointFailure.newBuilder()
        .setFid(fid)
        .setMessage(String.valueOf(cause.getMessage()))
        .setOfMount(!isOfFile)
        .build();
  }
}
