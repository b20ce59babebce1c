package dev.sailfish.ground.wire;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * The connection of {@link LeaderCalls} and the requests that go over it: which are on their way,
 * which have to be sent again, and where to. For one thread at a time but for {@link #add} and
 * {@link #wake}.
 */
final class LeaderLine {
  private static final RetryPolicy RETRY = new RetryPolicy(2, 100);
  private static final long LONGEST_WAIT_MS = 1000;

  private final Network network;
  private final List<InetSocketAddress> addresses;
  private final String caller;
  private final Credentials credentials;
  private final Duration deadline;

  // Of any thread.
  private final Queue<Call> fresh = new ConcurrentLinkedQueue<>();
  private volatile boolean waits;
  private volatile Connection connection;

  // Requests that nobody has an answer to, in the order in which they came.
  private final PriorityQueue<Call> unsent =
      new PriorityQueue<>(Comparator.comparingLong((Call call) -> call.order));
  private final Set<Call> sent = new LinkedHashSet<>();
  private final PriorityQueue<Call> later =
      new PriorityQueue<>(Comparator.comparingLong((Call call) -> call.nextNs));
  private final List<Runnable> ended = new ArrayList<>();
  private long calls;

  // Which server is asked.
  private final LeaderSearch search;
  private boolean isProven;
  private RemoteException elsewhere;
  private int failures;
  private long notBeforeNs;

  /** One request. */
  final class Call implements Exchange {
    private final Operation<?, ?> operation;
    private final byte[] header;
    private final long endNs;
    private final CompletableFuture<byte[]> reply = new CompletableFuture<>();
    private long order;
    private long sentNs;
    private long nextNs;
    private int refusals;

    private Call(Operation<?, ?> operation, byte[] header, long endNs) {
      this.operation = operation;
      this.header = header;
      this.endNs = endNs;
    }

    @Override
    public void done(ByteBuffer replyHeader) {
      proven();
      byte[] bytes = new byte[replyHeader.remaining()];
      replyHeader.duplicate().get(bytes);
      sent.remove(this);
      ended.add(() -> reply.complete(bytes));
    }

    @Override
    public void failed(RemoteException error) {
      sent.remove(this);
      if (error.status() == Status.NOT_LEADER) {
        unsent.add(this);
        elsewhere = error;
        return;
      }
      proven();
      refusals++;
      nextNs = RETRY.next(error, refusals, network.nanoTime(), endNs);
      if (nextNs == RetryPolicy.NEVER) {
        fail(error);
      } else {
        later.add(this);
      }
    }

    private void fail(IOException why) {
      ended.add(() -> reply.completeExceptionally(why));
    }
  }

  LeaderLine(
      Network network,
      List<InetSocketAddress> addresses,
      String caller,
      Credentials credentials,
      Duration deadline) {
    this.network = network;
    this.caller = caller;
    this.credentials = credentials;
    this.deadline = deadline;
    this.addresses = List.copyOf(addresses);
    this.search = new LeaderSearch(this.addresses, 0);
    this.notBeforeNs = network.nanoTime();
  }

  /** Takes a request; from any thread. It is sent in a {@link #turn} to come. */
  CompletableFuture<byte[]> add(Operation<?, ?> operation, byte[] header, Duration patience) {
    Call call = new Call(operation, header, network.nanoTime() + patience.toNanos());
    fresh.add(call);
    if (waits) {
      wake();
    }
    return call.reply;
  }

  /** Ends the wait of a {@link #turn}; from any thread. */
  void wake() {
    Connection waiting = connection;
    if (waiting != null) {
      waiting.wake();
    }
  }

  /**
   * Sends what is to be sent, waits for answers and gives them; what fails is sent again at the
   * next turn, or has failed. Ends early when the thread is interrupted, which the caller looks
   * for; then the connection is closed.
   */
  void turn() {
    try {
      takeAll();
      connect();
      send();
      receive();
      if (elsewhere != null) {
        throw elsewhere;
      }
    } catch (IOException e) {
      broke(e);
    } catch (RuntimeException e) {
      broke(new IOException("a defect of this client, or of the server's answer: " + e, e));
    } finally {
      giveAnswers();
    }
  }

  private void takeAll() {
    for (Call call = fresh.poll(); call != null; call = fresh.poll()) {
      call.order = ++calls;
      unsent.add(call);
    }
    long now = network.nanoTime();
    while (!later.isEmpty() && later.peek().nextNs - now <= 0) {
      unsent.add(later.remove());
    }
  }

  private boolean isConnected() {
    return connection != null && connection.isOpen();
  }

  private void connect() throws IOException {
    if (isConnected()) {
      return;
    }
    if (addresses.isEmpty()) {
      throw new ProtocolException("no server is configured to ask: caller=" + caller);
    }
    network.pause(notBeforeNs, "the next attempt to reach a server that leads");
    InetSocketAddress address = addresses.get(search.current());
    connection = Connection.open(network, address, caller, credentials, deadline);
  }

  private void send() throws IOException {
    while (!unsent.isEmpty() && sent.size() < LeaderCalls.MOST_IN_FLIGHT) {
      Call call = unsent.remove();
      if (!call.reply.isDone()) { // its caller may have given up
        call.sentNs = network.nanoTime();
        sent.add(call);
        connection.collect(call.operation, call.header, call);
      }
    }
    connection.flush();
  }

  private void receive() throws IOException {
    waits = true;
    try {
      boolean hasMore = !fresh.isEmpty() && sent.size() < LeaderCalls.MOST_IN_FLIGHT;
      boolean any = connection.pollFor(hasMore || !ended.isEmpty() ? 0 : waitMs());
      if (!any && !sent.isEmpty()) {
        requireInTime(sent.iterator().next());
      }
    } finally {
      waits = false;
    }
  }

  private long waitMs() {
    long now = network.nanoTime();
    long wait = TimeUnit.MILLISECONDS.toNanos(LONGEST_WAIT_MS);
    if (!sent.isEmpty()) {
      wait = Math.min(wait, sent.iterator().next().sentNs + deadline.toNanos() - now);
    }
    if (!later.isEmpty()) {
      wait = Math.min(wait, later.peek().nextNs - now);
    }
    return Math.max(1, TimeUnit.NANOSECONDS.toMillis(wait));
  }

  private void requireInTime(Call oldest) throws IOException {
    if (network.nanoTime() - oldest.sentNs > deadline.toNanos()) {
      throw new SocketTimeoutException(
          "no answer from %s in %d ms: waiting for %s, outstanding requests=%d"
              .formatted(connection.address(), deadline.toMillis(), oldest.operation, sent.size()));
    }
  }

  /** A server has answered that leads. */
  private void proven() {
    isProven = true;
    failures = 0;
    search.clear();
  }

  /**
   * All that has no answer is sent again: to the same server if it has answered over the broken
   * connection, else to the next one; when all were asked, after a while.
   */
  private void broke(IOException why) {
    boolean isElsewhere = why == elsewhere;
    boolean again = !isElsewhere && isProven;
    elsewhere = null;
    isProven = false;
    if (connection != null) {
      connection.close();
    }
    unsent.addAll(sent);
    sent.clear();
    if (again || Thread.currentThread().isInterrupted()) {
      return;
    }
    search.failed(why);
    boolean isFinal =
        why instanceof RemoteException
            && !RetryPolicy.mayHeal(why)
            && !LeaderSearch.isOfOneServer(why);
    if (isFinal || search.isOver()) {
      IOException said = isFinal ? why : search.failure();
      boolean mayHeal = RetryPolicy.mayHeal(said);
      search.clear();
      failures++;
      long now = network.nanoTime();
      notBeforeNs = now + RETRY.waitNs(failures, now);
      unsent.removeIf(call -> hasFailed(call, said, mayHeal));
    }
  }

  private boolean hasFailed(Call call, IOException why, boolean mayHeal) {
    boolean fails = !mayHeal || notBeforeNs - call.endNs > 0;
    if (fails) {
      call.fail(why);
    }
    return fails;
  }

  private void giveAnswers() {
    // Those who are told may ask for more.
    List<Runnable> now = List.copyOf(ended);
    ended.clear();
    now.forEach(Runnable::run);
  }

  /** Closes the connection; what has no answer fails. */
  void close() {
    if (connection != null) {
      connection.close();
    }
    do { // those who are told may ask again
      takeAll();
      unsent.addAll(sent);
      unsent.addAll(later);
      unsent.forEach(call -> call.fail(new IOException("the client was closed: caller=" + caller)));
      unsent.clear();
      sent.clear();
      later.clear();
      giveAnswers();
    } while (!fresh.isEmpty());
  }
}
