package dev.sailfish.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.ground.server.ServerConfig;
import dev.sailfish.ground.server.frame.SimulatedConnection;
import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Exchange;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Service;
import dev.sailfish.ground.wire.message.EmptyResponse;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A real client and a real server's connection, over a network that fails as it is told. */
@Seeded
@Timeout(60)
class SimulatedNetworkTest {
  private static final Service SERVICE = new Service(2, 63);
  private static final Operation<EmptyResponse, EmptyResponse> ECHO =
      SERVICE.operation(2, "ECHO", Operation.Caller.CLUSTER);

  private static final long MILLI = 1_000_000;
  private static final int PORT = 7;
  private static final Duration DEADLINE = Duration.ofSeconds(5);

  /** Longer than any number of stalls that one test may meet one after the other. */
  private static final Duration LONGEST = Duration.ofMinutes(10);

  private static final Weather FAIR = new Weather(5 * MILLI, 0, 0, 0, 0, 10_000);

  private Scheduler scheduler;
  private Internet internet;
  private Machine server;
  private final List<byte[]> received = new ArrayList<>();
  private final SimulatedProcess client = new SimulatedProcess("client");

  @BeforeEach
  void setUp(Seed seed) {
    begin(seed, FAIR);
  }

  private void begin(Seed seed, Weather weather) {
    scheduler = new Scheduler(seed.value());
    internet = new Internet(scheduler, weather, false);
    server = new Machine(internet, "server");
    startServer();
  }

  private void startServer() {
    SimulatedConnection.Server port =
        new SimulatedConnection.Server(
            SERVICE,
            ServerConfig.of("server", "", 0),
            request -> {
              received.add(request.payload());
              request.reply(EmptyResponse.getDefaultInstance());
            },
            null,
            scheduler::nowNs);
    internet.listen(PORT, server.start(), port::accept);
  }

  /** How long the client's connection may make no progress. */
  private Duration deadline = DEADLINE;

  /** What the client does, over its own connection. */
  private interface Talk {
    void with(Connection connection) throws IOException;
  }

  private Connection connect(SimulatedNetwork network) throws IOException {
    InetSocketAddress address = new InetSocketAddress("127.0.0.1", PORT);
    return Connection.open(network, address, "client", Credentials.none(), deadline);
  }

  /** Runs it to its end; returns what it threw, or null. */
  private Throwable talk(Talk talk) throws InterruptedException {
    Actor actor = new Actor(scheduler, "client", client);
    SimulatedNetwork network = new SimulatedNetwork(internet, actor);
    List<Throwable> failures = new ArrayList<>();
    scheduler.start(
        actor,
        () -> {
          try (Connection connection = connect(network)) {
            talk.with(connection);
          }
        },
        failure -> {
          failures.add(failure);
          scheduler.end();
        });
    scheduler.run();
    assertThat(failures).hasSize(1);
    return failures.get(0);
  }

  private static void ask(Connection connection) throws IOException {
    connection.call(ECHO, EmptyResponse.getDefaultInstance(), EmptyResponse.parser());
  }

  private void after(long millis, Runnable work) {
    scheduler.after(millis * MILLI, "director", internet.process(), work);
  }

  /** Counts the replies. */
  private static final class Replies implements Exchange {
    private int count;

    @Override
    public void done(ByteBuffer header) {
      count++;
    }

    @Override
    public void failed(RemoteException error) throws IOException {
      throw error;
    }
  }

  @RepeatedTest(10)
  void bytesShouldArriveWholeAndInOrder(Seed seed) throws Exception {
    begin(seed, new Weather(50 * MILLI, 0.1, 0, 0, 0, 150));
    deadline = LONGEST;
    SplittableRandom random = seed.splittable();
    List<byte[]> sent = new ArrayList<>();
    Replies replies = new Replies();
    Throwable failure =
        talk(
            connection -> {
              for (int i = 0; i < 10; i++) {
                sent.add(TestBytes.random(random, 1 + random.nextInt(1_000)));
                connection.send(
                    ECHO,
                    EmptyResponse.getDefaultInstance(),
                    replies,
                    ByteBuffer.wrap(sent.get(i)));
              }
              while (replies.count < 10) {
                connection.poll();
              }
            });
    assertThat(failure).isNull();
    assertThat(received).containsExactlyElementsOf(sent);
  }

  @Test
  void cutConnectionShouldBreak() throws Exception {
    Throwable failure =
        talk(
            connection -> {
              ask(connection);
              internet.cutOne();
              ask(connection);
            });
    assertThat(failure).isInstanceOf(IOException.class).hasMessageContaining("Connection reset");
  }

  @Test
  void nothingShouldGetThroughToAPortThatIsCutOffUntilItIsHealed() throws Exception {
    long startNs = scheduler.nowNs();
    after(2_000, () -> internet.heal(PORT));
    internet.cutOff(PORT);
    assertThat(talk(SimulatedNetworkTest::ask)).isNull();
    assertThat(scheduler.nowNs() - startNs).isGreaterThan(2_000 * MILLI);
  }

  @Test
  void waitForAnIsolatedServerShouldEndAtItsDeadline() throws Exception {
    long startNs = scheduler.nowNs();
    internet.cutOff(PORT);
    assertThat(talk(SimulatedNetworkTest::ask)).isInstanceOf(SocketTimeoutException.class);
    assertThat(scheduler.nowNs() - startNs).isGreaterThanOrEqualTo(DEADLINE.toNanos());
  }

  @Test
  void stoppedServerShouldAnswerWhenItGoesOn() throws Exception {
    long startNs = scheduler.nowNs();
    server.process().pause(startNs, startNs + 3_000 * MILLI);
    assertThat(talk(SimulatedNetworkTest::ask)).isNull();
    assertThat(scheduler.nowNs() - startNs).isGreaterThan(3_000 * MILLI);
    assertThat(received).hasSize(1);
  }

  @Test
  void killedServerShouldResetAndRefuseUntilItRunsAgain() throws Exception {
    List<String> errors = new ArrayList<>();
    Actor actor = new Actor(scheduler, "client", client);
    SimulatedNetwork network = new SimulatedNetwork(internet, actor);
    List<Throwable> failures = new ArrayList<>();
    scheduler.start(
        actor,
        () -> {
          try (Connection connection = connect(network)) {
            server.kill(false);
            ask(connection);
          } catch (IOException e) {
            errors.add(e.getMessage());
          }
          try (Connection connection = connect(network)) {
            ask(connection);
          } catch (IOException e) {
            errors.add(e.getMessage());
          }
          startServer();
          try (Connection connection = connect(network)) {
            ask(connection);
          }
        },
        failure -> {
          failures.add(failure);
          scheduler.end();
        });
    scheduler.run();
    assertThat(failures).containsExactly((Throwable) null);
    assertThat(errors).hasSize(2);
    assertThat(errors.get(0)).contains("reset");
    assertThat(errors.get(1)).contains("Connection refused");
    assertThat(server.life()).isEqualTo(2);
    assertThat(received).hasSize(1);
  }

  @Test
  void nobodyShouldBeToldOfALostMachine() throws Exception {
    long startNs = scheduler.nowNs();
    Throwable failure =
        talk(
            connection -> {
              server.kill(true);
              ask(connection);
            });
    assertThat(failure).isInstanceOf(SocketTimeoutException.class);
    assertThat(scheduler.nowNs() - startNs).isGreaterThanOrEqualTo(DEADLINE.toNanos());
  }

  @RepeatedTest(5)
  void foulWeatherShouldEndInAnAnswerOrAnError(Seed seed) throws Exception {
    begin(seed, Weather.foul(seed.splittable()));
    Throwable failure =
        talk(
            connection -> {
              for (int i = 0; i < 50; i++) {
                ask(connection);
              }
            });
    if (failure == null) {
      assertThat(received).hasSize(50);
    } else {
      assertThat(failure).isInstanceOf(IOException.class);
    }
  }
}
