package dev.sailfish.ground.server.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.ground.server.Authenticator;
import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.ServerConfig;
import dev.sailfish.ground.server.ServerMetric;
import dev.sailfish.ground.server.message.EchoRequest;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.LeaderCalls;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.message.EmptyResponse;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many requests at once to the one of three servers that leads. */
@Timeout(60)
class LeaderCallsTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final List<InetSocketAddress> addresses = new ArrayList<>();
  private final List<FrameServer> servers = new ArrayList<>();
  private final List<String> done = new ArrayList<>();
  private final Deque<Request> held = new ArrayDeque<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private int leader;
  private int busy;
  private LeaderCalls client;

  @BeforeEach
  void start() throws IOException {
    for (int i = 0; i < 3; i++) {
      servers.add(server(i, 0));
      addresses.add(new InetSocketAddress("127.0.0.1", servers.get(i).port()));
    }
    client = client(addresses);
  }

  private FrameServer server(int number, int port) throws IOException {
    return FrameServer.start(
        EchoService.SERVICE,
        ServerConfig.of("server " + number, "127.0.0.1", port),
        request -> answer(number, request));
  }

  private static LeaderCalls client(List<InetSocketAddress> addresses) {
    return new LeaderCalls(Network.SOCKETS, addresses, "test", Credentials.none(), DEADLINE);
  }

  @AfterEach
  void stop() {
    client.close();
    threads.shutdownNow();
    servers.forEach(FrameServer::close);
  }

  /** What begins with "held" gets its answer later. */
  private synchronized void answer(int server, Request request) throws RequestRefusedException {
    if (server != leader) {
      throw new RequestRefusedException(Status.NOT_LEADER, "ask the others");
    }
    String name = request.header(EchoRequest.parser()).getJob();
    if (name.isEmpty()) {
      throw new RequestRefusedException(Status.BAD_REQUEST, "no name");
    }
    if (busy > 0) {
      busy--;
      throw new RequestRefusedException(Status.BUSY, "not now");
    }
    done.add(name);
    if (name.startsWith("held")) {
      held.add(request);
    } else {
      request.reply(EmptyResponse.getDefaultInstance());
    }
  }

  private synchronized void lead(int server) {
    leader = server;
  }

  private synchronized List<String> done() {
    return List.copyOf(done);
  }

  private synchronized void release() {
    while (!held.isEmpty()) {
      held.removeLast().reply(EmptyResponse.getDefaultInstance());
    }
  }

  private CompletableFuture<byte[]> submit(String name) {
    byte[] header = EchoRequest.newBuilder().setJob(name).build().toByteArray();
    return client.submit(EchoService.WAIT, header, PATIENCE);
  }

  private void awaitDone(int count) {
    await().atMost(DEADLINE).until(() -> done().size() == count);
  }

  @Test
  void oneThreadHasManyOnTheirWay() throws IOException {
    List<CompletableFuture<byte[]>> all = new ArrayList<>();
    List<String> names = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      names.add("job-" + i);
      all.add(submit(names.get(i)));
    }
    client.await(CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)));
    assertThat(done()).isEqualTo(names);
  }

  @Test
  void soManyAreOnTheirWayAndNoMore() throws IOException {
    List<CompletableFuture<byte[]>> all = new ArrayList<>();
    for (int i = 0; i < LeaderCalls.MOST_IN_FLIGHT + 10; i++) {
      all.add(client.attend(submit("held-" + i)));
    }
    awaitDone(LeaderCalls.MOST_IN_FLIGHT);
    client.await(submitAfter(all.get(0)));
    release();
    client.await(all.get(LeaderCalls.MOST_IN_FLIGHT - 1));
    awaitDone(LeaderCalls.MOST_IN_FLIGHT + 10);
    release();
    client.await(CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)));
  }

  /** One more than those has no room: it comes when one of them has ended. */
  private CompletableFuture<Void> submitAfter(CompletableFuture<byte[]> one) {
    assertThat(done()).hasSize(LeaderCalls.MOST_IN_FLIGHT);
    synchronized (this) {
      held.removeFirst().reply(EmptyResponse.getDefaultInstance());
    }
    return one.thenAccept(reply -> {});
  }

  @Test
  void threadsDoNotWaitForEachOther() throws Exception {
    Future<?> waits = threads.submit(() -> client.await(submit("held")));
    awaitDone(1);
    List<Future<?>> others = new ArrayList<>();
    for (int thread = 0; thread < 8; thread++) {
      int number = thread;
      others.add(
          threads.submit(
              () -> {
                for (int i = 0; i < 500; i++) {
                  client.await(submit("job-" + number + "-" + i));
                }
                return null;
              }));
    }
    for (Future<?> other : others) {
      other.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    }
    assertThat(waits.isDone()).isFalse();
    release();
    waits.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    assertThat(done()).hasSize(4001).doesNotHaveDuplicates();
  }

  @Test
  void answersComeWithoutAThreadThatWaits() {
    CompletableFuture<Integer> length =
        client.attend(submit("one")).thenApply(reply -> reply.length);
    await().atMost(DEADLINE).until(length::isDone);
    assertThat(length).isCompletedWithValue(0);
  }

  @Test
  void whatHasNoAnswerGoesToTheNextLeader() throws IOException {
    List<CompletableFuture<byte[]>> all = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      all.add(client.attend(submit("held-" + i)));
    }
    awaitDone(100);
    lead(2);
    servers.get(0).close();
    awaitDone(200);
    assertThat(done().subList(0, 100)).isEqualTo(done().subList(100, 200));
    release();
    client.await(CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)));
  }

  @Test
  void aBrokenConnectionIsReplaced() throws IOException {
    client.await(submit("one"));
    int port = servers.get(0).port();
    servers.get(0).close();
    servers.set(0, server(0, port));
    client.await(submit("two"));
    assertThat(done()).containsExactly("one", "two");
  }

  @Test
  void whatIsRefusedForNowComesAgain() throws IOException {
    synchronized (this) {
      busy = 3;
    }
    CompletableFuture<byte[]> first = submit("one");
    CompletableFuture<byte[]> second = submit("two");
    client.await(CompletableFuture.allOf(first, second));
    assertThat(done()).containsExactlyInAnyOrder("one", "two");
  }

  @Test
  void aRefusalIsThatRequestsAlone() throws IOException {
    CompletableFuture<byte[]> bad = submit("");
    CompletableFuture<byte[]> good = submit("one");
    assertThatThrownBy(() -> client.await(bad))
        .isInstanceOfSatisfying(
            RemoteException.class, e -> assertThat(e.status()).isEqualTo(Status.BAD_REQUEST));
    client.await(good);
  }

  @Test
  void patienceEndsWhenNobodyLeads() {
    lead(-1);
    byte[] header = EchoRequest.newBuilder().setJob("one").build().toByteArray();
    assertThatThrownBy(
            () -> client.await(client.submit(EchoService.WAIT, header, Duration.ofMillis(200))))
        .isInstanceOfSatisfying(
            RemoteException.class, e -> assertThat(e.status()).isEqualTo(Status.NOT_LEADER));
  }

  /** The address of a server that takes no connection of a client without a key. */
  private InetSocketAddress refusing() throws IOException {
    FrameServer server =
        FrameServer.start(
            EchoService.SERVICE,
            ServerConfig.of("server of others", "127.0.0.1", 0),
            request -> answer(3, request),
            Authenticator.ofCluster(new byte[32]),
            new Metrics<>(ServerMetric.class));
    servers.add(server);
    return new InetSocketAddress("127.0.0.1", server.port());
  }

  @Test
  void aServerThatTakesNoConnectionIsPassedOver() throws IOException {
    lead(1);
    client = client(List.of(refusing(), addresses.get(0), addresses.get(1)));
    client.await(submit("one"));
    assertThat(done()).containsExactly("one");
  }

  @Test
  void aRefusalOfAllServersIsFinal() throws IOException {
    client = client(List.of(refusing(), refusing(), refusing()));
    byte[] header = EchoRequest.newBuilder().setJob("one").build().toByteArray();
    assertThatThrownBy(
            () -> client.await(client.submit(EchoService.WAIT, header, Duration.ofHours(1))))
        .isInstanceOfSatisfying(
            RemoteException.class, e -> assertThat(e.status()).isEqualTo(Status.UNAUTHENTICATED));
  }

  @Test
  void aRefusalIsSaidWhenPatienceEnds() throws IOException {
    lead(-1);
    client = client(List.of(refusing(), addresses.get(0)));
    byte[] header = EchoRequest.newBuilder().setJob("one").build().toByteArray();
    assertThatThrownBy(
            () -> client.await(client.submit(EchoService.WAIT, header, Duration.ofMillis(200))))
        .hasMessageContaining("this one has no key")
        .hasMessageContaining("ask the others");
  }

  @Test
  void anInterruptedThreadGoesAndTheOthersStay() throws Exception {
    Future<byte[]> interrupted = threads.submit(() -> client.await(submit("held-1")));
    awaitDone(1);
    Future<byte[]> stays = threads.submit(() -> client.await(submit("held-2")));
    awaitDone(2);
    interrupted.cancel(true);
    // The connection was the interrupted thread's to read: what it had sent is sent again.
    awaitDone(4);
    release();
    stays.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> client.await(submit("one")))
        .isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void nothingIsAwaitedWhereAnswersAreGiven() throws IOException {
    CompletableFuture<byte[]> inner =
        submit("one")
            .thenApply(
                reply -> {
                  try {
                    return client.await(submit("two"));
                  } catch (IOException e) {
                    throw new AssertionError(e);
                  }
                });
    assertThatThrownBy(() -> client.await(inner)).hasMessageContaining("must not wait");
  }

  @Test
  void whatHasNoAnswerFailsWithTheEnd() throws Exception {
    CompletableFuture<byte[]> attended = client.attend(submit("held-1"));
    Future<byte[]> awaited = threads.submit(() -> client.await(submit("held-2")));
    awaitDone(2);
    client.close();
    assertThatThrownBy(() -> client.await(attended)).hasMessageContaining("was closed");
    assertThatThrownBy(() -> awaited.get(DEADLINE.toSeconds(), TimeUnit.SECONDS))
        .hasMessageContaining("was closed");
    assertThatThrownBy(() -> client.await(submit("one"))).hasMessageContaining("was closed");
  }

  @Test
  void saysThatNoServerIsConfigured() {
    client = client(List.of());
    assertThatThrownBy(() -> client.await(submit("one")))
        .hasMessage("no server is configured to ask: caller=test");
  }
}
