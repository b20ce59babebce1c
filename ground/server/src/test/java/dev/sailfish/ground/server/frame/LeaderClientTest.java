package dev.sailfish.ground.server.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sailfish.ground.server.Authenticator;
import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.ServerConfig;
import dev.sailfish.ground.server.ServerMetric;
import dev.sailfish.ground.server.message.EchoRequest;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.LeaderClient;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.RetryPolicy;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.message.EmptyResponse;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How a client finds the one of three servers that leads. */
@Timeout(60)
class LeaderClientTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);

  private final List<InetSocketAddress> addresses = new ArrayList<>();
  private final List<FrameServer> servers = new ArrayList<>();
  private final List<Integer> asked = new ArrayList<>();
  private int leader = -1;
  private String named = "nobody knows who leads";
  private LeaderClient client;

  @BeforeEach
  void start() throws IOException {
    for (int i = 0; i < 3; i++) {
      int server = i;
      servers.add(
          FrameServer.start(
              EchoService.SERVICE,
              ServerConfig.of("server " + i, "127.0.0.1", 0),
              request -> answer(server, request)));
      addresses.add(new InetSocketAddress("127.0.0.1", servers.get(i).port()));
    }
    client = client(addresses);
  }

  private static LeaderClient client(List<InetSocketAddress> addresses) {
    return new LeaderClient(Network.SOCKETS, addresses, "test", Credentials.none(), DEADLINE);
  }

  @AfterEach
  void stop() {
    client.close();
    servers.forEach(FrameServer::close);
  }

  private synchronized void answer(int server, Request request) throws RequestRefusedException {
    asked.add(server);
    if (server != leader) {
      throw new RequestRefusedException(Status.NOT_LEADER, named);
    }
    if (request.header(EchoRequest.parser()).getJob().isEmpty()) {
      throw new RequestRefusedException(Status.BUSY, "not now");
    }
    request.reply(EmptyResponse.getDefaultInstance());
  }

  private synchronized void lead(int server) {
    leader = server;
    named = server < 0 ? "nobody knows who leads" : "who led last: leader=" + text(server);
    asked.clear();
  }

  private String text(int server) {
    return "127.0.0.1:" + addresses.get(server).getPort();
  }

  private synchronized List<Integer> asked() {
    return List.copyOf(asked);
  }

  private void call(String job) throws IOException {
    client.call(
        EchoService.WAIT, EchoRequest.newBuilder().setJob(job).build(), EmptyResponse.parser());
  }

  @Test
  void followsTheNameOfTheLeader() throws IOException {
    lead(2);
    call("job");
    call("job");
    assertThat(asked()).containsExactly(0, 2, 2);
    lead(1);
    call("job");
    assertThat(asked()).containsExactly(2, 1);
  }

  @Test
  void goesRoundWhenNobodyIsNamed() throws IOException {
    lead(2);
    named = "the last one that did: leader=";
    call("job");
    assertThat(asked()).containsExactly(0, 1, 2);
  }

  @Test
  void asksEveryServerOnceWhenTheNamedOneIsGone() throws IOException {
    lead(1);
    named = "leader=" + text(2);
    servers.get(2).close();
    call("job");
    assertThat(asked()).containsExactly(0, 1);
  }

  @Test
  void anAddressThatIsNotConfiguredIsNotFollowed() throws IOException {
    lead(1);
    named = "leader=127.0.0.1:1";
    call("job");
    assertThat(asked()).containsExactly(0, 1);
  }

  @Test
  void asksEachOnceWhenNobodyLeads() throws IOException {
    lead(-1);
    for (int start = 0; start < 2; start++) {
      asked.clear();
      RemoteException refusal = catchThrowableOfType(RemoteException.class, () -> call("job"));
      assertThat(refusal.status()).isEqualTo(Status.NOT_LEADER);
      // Over a connection that was there before, the first one is asked once more at the end.
      assertThat(asked()).hasSize(3 + start).contains(0, 1, 2);
    }
  }

  @Test
  void theLeadersRefusalIsFinal() {
    lead(0);
    assertThatThrownBy(() -> call(""))
        .isInstanceOf(RemoteException.class)
        .hasMessage("not now [BUSY]");
    assertThat(asked()).containsExactly(0);
  }

  @Test
  void aBrokenConnectionIsReplacedBeforeOthersAreAsked() throws IOException {
    lead(0);
    call("job");
    int port = servers.get(0).port();
    servers.get(0).close();
    servers.set(
        0,
        FrameServer.start(
            EchoService.SERVICE,
            ServerConfig.of("server 0", "127.0.0.1", port),
            request -> answer(0, request)));
    call("job");
    assertThat(asked()).containsExactly(0, 0);
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
    call("job");
    assertThat(asked()).containsExactly(0, 1);
  }

  @Test
  void aRefusalOfAllServersIsFinal() throws IOException {
    client = client(List.of(refusing(), refusing(), refusing()));
    EchoRequest request = EchoRequest.newBuilder().setJob("job").build();
    assertThatThrownBy(
            () ->
                client.call(
                    EchoService.WAIT,
                    request,
                    EmptyResponse.parser(),
                    RetryPolicy.TASK,
                    Duration.ofHours(1)))
        .isInstanceOfSatisfying(
            RemoteException.class, e -> assertThat(e.status()).isEqualTo(Status.UNAUTHENTICATED));
  }

  @Test
  void aRefusalIsSaidThoughOthersMayLeadLater() throws IOException {
    lead(-1);
    client = client(List.of(refusing(), addresses.get(0)));
    assertThatThrownBy(() -> call("job"))
        .isInstanceOfSatisfying(IOException.class, e -> assertThat(RetryPolicy.mayHeal(e)).isTrue())
        .hasMessageContaining("this one has no key")
        .hasMessageContaining("nobody knows who leads");
    servers.get(0).close();
    assertThatThrownBy(() -> call("job"))
        .isInstanceOfSatisfying(IOException.class, e -> assertThat(RetryPolicy.mayHeal(e)).isTrue())
        .hasMessageContaining("this one has no key")
        .hasMessageContaining("cannot connect to");
  }

  @Test
  void looksUpNamesForEachConnection() throws IOException {
    lead(0);
    client =
        client(List.of(InetSocketAddress.createUnresolved("localhost", servers.get(0).port())));
    call("job");
    assertThat(asked()).containsExactly(0);
  }

  @Test
  void endsAtOnceWhenTheThreadIsInterrupted() {
    lead(0);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> call("job")).isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void saysThatNoServerIsConfigured() {
    client = client(List.of());
    assertThatThrownBy(client::connect).hasMessage("no server is configured to ask: caller=test");
  }
}
