package dev.sailfish.lineage.master.namespace;

import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The workers that live, and those that are gone while rows of the table of copies still name them.
 *
 * <p>A worker that registers again is a new one: it tells all that it holds, and what the old one
 * was said to hold counts no more. So nobody has to find out what it lost meanwhile.
 */
final class Workers {
  private static final int MOST = 10_000;

  private final SortedMap<Integer, Worker> live = new TreeMap<>();
  private final TreeSet<Integer> gone = new TreeSet<>();
  private final TreeSet<Integer> draining = new TreeSet<>();
  private final TreeSet<Integer> returning = new TreeSet<>(); // of those that are drained
  private int last;

  /**
   * Adds a worker; one of the same id that was there is gone, and so is one at the same address,
   * where another process answers now: its host has lost its directories, with its id.
   */
  Worker add(long id, String host, int port) throws NamespaceException {
    if (last == Place.LAST_WORKER || live.size() == MOST) {
      throw new NamespaceException(
          Reason.FULL,
          "%d workers live, and %d have registered: no further one is taken"
              .formatted(live.size(), last));
    }
    live.values().stream()
        .filter(worker -> worker.id() == id || isAt(worker, host, port))
        .map(Worker::number)
        .toList()
        .forEach(this::remove);
    last++;
    Worker worker = new Worker(last, id, host, port);
    live.put(last, worker);
    return worker;
  }

  private static boolean isAt(Worker worker, String host, int port) {
    return worker.port() == port && worker.host().equals(host);
  }

  /** The worker is gone, with all that it holds. */
  void remove(int number) {
    if (live.remove(number) != null) {
      gone.add(number);
      draining.remove(number);
      returning.remove(number);
    }
  }

  /**
   * The worker takes no new blocks; one that is started again is another one, which does.
   *
   * @param returns whether it will be back with what it has
   */
  void drain(int number, boolean returns) {
    if (live.containsKey(number)) {
      draining.add(number);
      returning.remove(number);
      if (returns) {
        returning.add(number);
      }
    }
  }

  /** Whether a worker that is drained will be back with what it has. */
  boolean isReturning(int number) {
    return returning.contains(number);
  }

  boolean isDraining(int number) {
    return draining.contains(number);
  }

  boolean isLive(int number) {
    return live.containsKey(number);
  }

  /** What a worker that lives calls itself, over restarts too. */
  long id(int number) {
    return live.get(number).id();
  }

  /** Those that live, in the order of their numbers; a copy. */
  List<Worker> live() {
    return List.copyOf(live.values());
  }

  /** Those that are gone and may still be named; a copy. */
  List<Integer> gone() {
    return List.copyOf(gone);
  }

  /** No row names these any more. */
  void forget(Collection<Integer> numbers) {
    gone.removeAll(numbers);
  }

  /**
   * Writes { last:4 live:4 { number:4 id:8 host, as writeUTF port:4 } gone:4 { number:4 }
   * draining:4 { number:4 } returning:4 { number:4 } }.
   */
  void write(DataOutputStream out) throws IOException {
    out.writeInt(last);
    out.writeInt(live.size());
    for (Worker worker : live.values()) {
      out.writeInt(worker.number());
      out.writeLong(worker.id());
      out.writeUTF(worker.host());
      out.writeInt(worker.port());
    }
    writeNumbers(gone, out);
    writeNumbers(draining, out);
    writeNumbers(returning, out);
  }

  private static void writeNumbers(Collection<Integer> numbers, DataOutputStream out)
      throws IOException {
    out.writeInt(numbers.size());
    for (int number : numbers) {
      out.writeInt(number);
    }
  }

  void read(DataInputStream in) throws IOException {
    last = in.readInt();
    for (int left = in.readInt(); left > 0; left--) {
      int number = in.readInt();
      live.put(number, new Worker(number, in.readLong(), in.readUTF(), in.readInt()));
    }
    readNumbers(in, gone);
    readNumbers(in, draining);
    readNumbers(in, returning);
  }

  private static void readNumbers(DataInputStream in, Collection<Integer> into) throws IOException {
    for (int left = in.readInt(); left > 0; left--) {
      into.add(in.readInt());
    }
  }
}
