package dev.sailfish.benchmarks.journal;

import dev.sailfish.ground.journal.Journal;
import dev.sailfish.ground.journal.JournalSettings;
import dev.sailfish.ground.journal.PeerConnection;
import dev.sailfish.ground.journal.StateView;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * Entries a second that a journal keeps, with so many that wait at a time. All peers are in this
 * process and reach each other without sockets; each keeps what it gets on the same disk.
 *
 * <p>Arguments: peers (1, 3 or 5), whether entries are synced, entries that wait, bytes of each,
 * seconds, an empty directory.
 */
public final class JournalThroughput {
  private static final long NO_SNAPSHOT = Long.MAX_VALUE;
  private static final int ROUNDS = 3;

  private final Map<InetSocketAddress, Journal> journals = new LinkedHashMap<>();

  private JournalThroughput() {}

  /** Measures and prints. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    int peers = Integer.parseInt(arguments[0]);
    boolean sync = Boolean.parseBoolean(arguments[1]);
    JournalThroughput throughput = new JournalThroughput();
    throughput.start(peers, sync, Path.of(arguments[5]));
    Journal leader = throughput.leader();
    for (int round = 0; round < ROUNDS; round++) {
      long rate =
          measure(
              leader,
              Integer.parseInt(arguments[2]),
              Integer.parseInt(arguments[3]),
              TimeUnit.SECONDS.toNanos(Long.parseLong(arguments[4])));
      System.out.println(
          "peers=" + peers + " sync=" + sync + " waiting=" + arguments[2] + " entries/s=" + rate);
    }
    throughput.journals.values().forEach(Journal::close);
  }

  private void start(int count, boolean sync, Path directory) throws IOException {
    Map<String, InetSocketAddress> peers = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      peers.put("m" + i, InetSocketAddress.createUnresolved("localhost", i + 1));
    }
    for (Map.Entry<String, InetSocketAddress> peer : peers.entrySet()) {
      JournalSettings settings =
          new JournalSettings(
              "benchmark",
              Optional.of(directory.resolve(peer.getKey())),
              sync,
              NO_SNAPSHOT,
              "benchmark",
              count == 1 ? "" : peer.getKey(),
              count == 1 ? Map.of() : peers);
      journals.put(peer.getValue(), Journal.of(settings, this::connect));
    }
    for (Journal journal : journals.values()) {
      journal.start(new Nothing());
    }
  }

  private Journal leader() {
    while (true) {
      for (Journal journal : journals.values()) {
        if (journal.term() != 0) {
          return journal;
        }
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
  }

  private static long measure(Journal leader, int waiting, int bytes, long forNs)
      throws InterruptedException {
    Semaphore room = new Semaphore(waiting);
    Queue<Throwable> errors = new ConcurrentLinkedQueue<>();
    long start = System.nanoTime();
    long entries = 0;
    while (System.nanoTime() - start < forNs) {
      room.acquire();
      leader
          .submit(new byte[bytes])
          .whenComplete(
              (reply, error) -> {
                if (error != null) {
                  errors.add(error);
                }
                room.release();
              });
      entries++;
    }
    room.acquire(waiting);
    if (!errors.isEmpty()) {
      throw new IllegalStateException("refused=" + errors.size(), errors.peek());
    }
    return entries * TimeUnit.SECONDS.toNanos(1) / (System.nanoTime() - start);
  }

  private PeerConnection connect(InetSocketAddress address) {
    return new PeerConnection() {
      @Override
      public boolean isOpen() {
        return true;
      }

      @Override
      public byte[] ask(int kind, byte[] message) throws IOException {
        try {
          return journals.get(address).receive(kind, message).get(3, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException | InterruptedException e) {
          throw new IOException(e);
        }
      }

      /** Peers of one process end together. */
      @Override
      public boolean awaitEnd(long waitMs) throws InterruptedIOException {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(waitMs));
        if (Thread.currentThread().isInterrupted()) {
          throw new InterruptedIOException("interrupted while a peer was watched");
        }
        return false;
      }

      @Override
      public void close() {}
    };
  }

  /** A state of nothing. */
  private static final class Nothing implements Journal.Machine {
    private static final byte[] REPLY = {};

    @Override
    public long nowMs() {
      return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    @Override
    public byte[] apply(byte[] entry, long timeMs) {
      return REPLY;
    }

    @Override
    public void applied() {}

    @Override
    public StateView freeze() {
      throw new IllegalStateException("no snapshot is taken");
    }

    @Override
    public void load(InputStream in) {}

    @Override
    public void failed(String what, Throwable cause) {
      throw new IllegalStateException(what, cause);
    }
  }
}
