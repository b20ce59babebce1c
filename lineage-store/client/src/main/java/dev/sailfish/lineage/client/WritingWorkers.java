package dev.sailfish.lineage.client;

import dev.sailfish.ground.wire.Clock;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.RetryPolicy;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Workers that take the blocks of one file that is written. Those that the master has named are
 * asked first, the best one before the others; one that does not take a block is passed over from
 * then on. When none is left the master names others, again and again for some time: a worker that
 * is drained or dead may be back soon, or another one may come. A full worker has waited for room
 * already: where all are full that is said at once. For one thread.
 */
final class WritingWorkers {
  private final String file;
  private final List<WorkerAddress> named;
  private final Others others;
  private final Clock clock;
  private final Duration patience;

  /** Numbers of workers that did not take a block since the master has named all there are. */
  private final Set<Integer> refused = new LinkedHashSet<>();

  /** What each worker has said last that did not take a block, by its address. */
  private final Map<String, IOException> reasons = new LinkedHashMap<>();

  /** Whether one of these did not for another reason than that it is full. */
  private boolean mayChange;

  /** Names further workers for the file. */
  @FunctionalInterface
  interface Others {
    /**
     * Asks the master, and waits for its answer.
     *
     * @param refused numbers of workers that are not to be named
     * @return those that may take blocks, the best first
     */
    List<WorkerAddress> ask(Set<Integer> refused) throws IOException;
  }

  /** Something that one worker is to do. */
  @FunctionalInterface
  interface Asking<T> {
    /** Asks a worker for it. */
    T ask(WorkerAddress worker) throws IOException;
  }

  /**
   * @param file its name, for messages
   * @param named by the master when the file was begun, the best first
   * @param patience no question to the master begins later than that after a block was wanted, but
   *     for the first one
   */
  WritingWorkers(
      String file, List<WorkerAddress> named, Others others, Clock clock, Duration patience) {
    this.file = file;
    this.named = new ArrayList<>(named);
    this.others = others;
    this.clock = clock;
    this.patience = patience;
  }

  /** Who is asked next, as far as is known; null: nobody. */
  WorkerAddress best() {
    return named.isEmpty() ? null : named.get(0);
  }

  /**
   * Has the first worker do something that takes it.
   *
   * @return what it gives, never null
   * @throws IOException saying what each worker has said, when none takes it in time or none ever
   *     will; what the master says, when the file is not to be written any more
   */
  <T> T first(Asking<T> asking) throws IOException {
    long endNs = clock.nanoTime() + patience.toNanos();
    T taken = ofNamed(asking);
    int failures = 0;
    while (taken == null) {
      askForOthers();
      if (named.isEmpty()) {
        failures++;
        await(failures, endNs);
      } else {
        taken = ofNamed(asking);
      }
      boolean isOver = taken == null && clock.nanoTime() - endNs > 0;
      if (isOver) {
        throw nowhere();
      }
    }
    return taken;
  }

  /** The same of those that are named; null: none takes it. */
  private <T> T ofNamed(Asking<T> asking) throws IOException {
    boolean mayOthers = named.isEmpty();
    while (!named.isEmpty()) {
      WorkerAddress worker = named.get(0);
      try {
        T taken = asking.ask(worker);
        reasons.remove(address(worker));
        return taken;
      } catch (IOException e) {
        passOver(worker, e);
        mayOthers |= RetryPolicy.mayHeal(e);
      }
    }
    if (!mayOthers) {
      throw nowhere();
    }
    return null;
  }

  private static String address(WorkerAddress worker) {
    return worker.getHost() + ":" + worker.getPort();
  }

  private void passOver(WorkerAddress worker, IOException failure) throws IOException {
    Status status = failure instanceof RemoteException refusal ? refusal.status() : null;
    if (status == Status.UNAUTHENTICATED) {
      throw failure;
    }
    named.remove(0);
    refused.add(worker.getNumber());
    reasons.put(address(worker), failure);
    mayChange |= RetryPolicy.mayHeal(failure) && status != Status.NO_SPACE;
  }

  private void askForOthers() throws IOException {
    try {
      named.addAll(others.ask(Set.copyOf(refused)));
    } catch (IOException e) {
      reasons.values().forEach(e::addSuppressed);
      throw e;
    }
    named.removeIf(worker -> refused.contains(worker.getNumber()));
  }

  /** There are no others now: the next question is for all. */
  private void await(int failures, long endNs) throws IOException {
    boolean isFull = !mayChange && !refused.isEmpty();
    long nextNs = clock.nanoTime() + BlockPlaces.RETRY.waitNs(failures, clock.nanoTime());
    if (isFull || nextNs - endNs > 0) {
      throw nowhere();
    }
    clock.pause(nextNs, "a worker that takes a block of " + file);
    refused.clear();
    mayChange = false;
  }

  private IOException nowhere() {
    IOException none =
        new IOException(
            "no worker takes a block of "
                + file
                + ": do workers run, and have they room? "
                + reasons.values().stream()
                    .map(IOException::getMessage)
                    .collect(Collectors.joining("; ")));
    reasons.values().forEach(none::addSuppressed);
    return none;
  }
}
