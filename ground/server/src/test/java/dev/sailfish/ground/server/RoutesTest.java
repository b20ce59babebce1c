package dev.sailfish.ground.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.MessageLite;
import dev.sailfish.ground.server.frame.EchoService;
import dev.sailfish.ground.server.frame.FrameServer;
import dev.sailfish.ground.server.message.EchoRequest;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.PayloadReply;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.message.EmptyResponse;
import dev.sailfish.ground.wire.secret.Handshake;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who may ask what is decided before anything is done, over real connections. */
class RoutesTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final byte[] CLUSTER = {1, 2, 3};
  private static final byte[] JOB_SECRET = new byte[32];

  private final List<String> done = new CopyOnWriteArrayList<>();
  private FrameServer server;

  /** Knows the cluster, and one job by the key of its tasks. */
  private static final class Keys implements Authenticator {
    private final Principal job = Principal.ofJob("job_1", new byte[32]);

    @Override
    public void find(String name, byte[] keyId, Answer answer) {
      if (name.equals("cluster")) {
        answer.found(Principal.ofCluster(CLUSTER));
      } else {
        answer.found(job, taskKey(name));
      }
    }

    private static byte[] taskKey(String name) {
      return Handshake.taskKey(JOB_SECRET, name.substring("task ".length()));
    }

    @Override
    public void introduce(Introduced introduced, Answer answer) {
      answer.refused(Status.UNAUTHENTICATED, "no introductions here");
    }
  }

  /** Takes what comes. */
  private static final class Drop implements PayloadSink {
    @Override
    public void write(ByteBuffer piece) {
      piece.position(piece.limit());
    }

    @Override
    public void abort() {}
  }

  @BeforeEach
  void start() throws IOException {
    Routes routes =
        new Routes("this server")
            .on(EchoService.LIST, EchoRequest.parser(), this::answer)
            .ofJob(EchoService.WAIT, EchoRequest.parser(), EchoRequest::getJob, this::answer)
            .ofJob(
                EchoService.STREAM,
                EchoRequest.parser(),
                EchoRequest::getJob,
                (request, asked, length) -> {
                  done.add("sink of " + asked.getJob() + " " + length);
                  return new Drop();
                },
                request -> answer(request, null));
    server =
        FrameServer.start(
            EchoService.SERVICE,
            ServerConfig.of("routes", "127.0.0.1", 0),
            routes,
            new Keys(),
            new Metrics<>(ServerMetric.class));
  }

  private void answer(Request request, MessageLite asked) {
    done.add(request.operation() + (asked == null ? "" : " " + request.principal()));
    request.reply(EmptyResponse.getDefaultInstance());
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private Connection connect(Credentials credentials) throws IOException {
    InetSocketAddress address = new InetSocketAddress("127.0.0.1", server.port());
    return Connection.open(address, "test", credentials, DEADLINE);
  }

  private static Status ask(
      Connection connection, Operation<?, ?> operation, MessageLite header, ByteBuffer... payload)
      throws IOException {
    PayloadReply reply = new PayloadReply();
    try {
      connection.exchange(operation, header, reply, payload);
      return null;
    } catch (RemoteException e) {
      return e.status();
    }
  }

  private static EchoRequest renew(String job) {
    return EchoRequest.newBuilder().setJob(job).build();
  }

  private static EchoRequest append(String job) {
    return EchoRequest.newBuilder().setJob(job).build();
  }

  @Test
  void aJobMayNameItselfAndNoOther() throws IOException {
    try (Connection job = connect(Credentials.ofJob("name", JOB_SECRET))) {
      assertThat(ask(job, EchoService.WAIT, renew("job_1"))).isNull();
      assertThat(ask(job, EchoService.WAIT, renew("job_2"))).isEqualTo(Status.FORBIDDEN);
      assertThat(ask(job, EchoService.LIST, EchoRequest.getDefaultInstance()))
          .isEqualTo(Status.FORBIDDEN);
      assertThat(done).containsExactly("WAIT job job_1");
    }
  }

  @Test
  void thePayloadOfAnotherJobsRequestReachesNoSink() throws IOException {
    try (Connection job = connect(Credentials.ofJob("name", JOB_SECRET))) {
      assertThat(ask(job, EchoService.STREAM, append("job_2"), ByteBuffer.allocate(300_000)))
          .isEqualTo(Status.FORBIDDEN);
      assertThat(done).isEmpty();
      assertThat(ask(job, EchoService.STREAM, append("job_1"), ByteBuffer.allocate(300_000)))
          .isNull();
      assertThat(done).containsExactly("sink of job_1 300000", "STREAM");
    }
  }

  @Test
  void theClusterMayNameAllJobs() throws IOException {
    try (Connection cluster = connect(Credentials.ofCluster(CLUSTER))) {
      assertThat(ask(cluster, EchoService.WAIT, renew("job_2"))).isNull();
      assertThat(ask(cluster, EchoService.LIST, EchoRequest.getDefaultInstance())).isNull();
      assertThat(done).containsExactly("WAIT cluster", "LIST cluster");
    }
  }

  @Test
  void whatIsForAnotherServerIsRefusedAndTheConnectionGoesOn() throws IOException {
    try (Connection cluster = connect(Credentials.ofCluster(CLUSTER))) {
      RemoteException refusal =
          catchThrowableOfType(
              RemoteException.class,
              () ->
                  cluster.exchange(
                      EchoService.COLLECT,
                      EchoRequest.getDefaultInstance(),
                      new PayloadReply(),
                      ByteBuffer.allocate(100_000)));
      assertThat(refusal.status()).isEqualTo(Status.BAD_REQUEST);
      assertThat(refusal)
          .hasMessageStartingWith("this server does not do this; is it another server's address")
          .hasMessageContaining("operation=COLLECT");
      assertThat(ask(cluster, EchoService.WAIT, renew("job_2"))).isNull();
    }
  }

  @Test
  void anOperationForJobsNeedsToSayWhose() {
    assertThatThrownBy(
            () ->
                new Routes("this server")
                    .on(EchoService.COLLECT, EchoRequest.parser(), (request, asked) -> {}))
        .hasMessage("whose job is it? operation=COLLECT");
  }
}
