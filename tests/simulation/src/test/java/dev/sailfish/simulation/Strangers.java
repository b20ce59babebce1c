package dev.sailfish.simulation;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import dev.sailfish.ground.server.frame.SimulatedConnection;
import dev.sailfish.ground.wire.FrameDescriptor;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.ProtocolException;
import dev.sailfish.ground.wire.introduction.IntroductionBox;
import dev.sailfish.ground.wire.introduction.JobTicket;
import dev.sailfish.ground.wire.message.AuthenticateRequest;
import dev.sailfish.ground.wire.message.HelloRequest;
import dev.sailfish.ground.wire.message.HelloResponse;
import dev.sailfish.ground.wire.message.Introduction;
import dev.sailfish.ground.wire.secret.Handshake;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.wire.DescribeJobRequest;
import dev.sailfish.protocol.wire.ListJobsRequest;
import dev.sailfish.simulator.Internet;
import dev.sailfish.simulator.Scheduler;
import dev.sailfish.simulator.SimulatedProcess;
import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/**
 * Floods of connections from elsewhere that know no secret: some say nothing, some send rubbish,
 * most name jobs that they have invented, or the cluster or the job itself, and prove it with a key
 * of their own. They are no actors: a connection costs a few events.
 */
final class Strangers {
  /** What each stranger's key is, whomever he says to be. */
  static final byte[] KEY =
      "nobody has given this key to anyone".substring(0, 32).getBytes(StandardCharsets.US_ASCII);

  /** How the names of jobs begin that strangers make up. */
  static final String INVENTED = "job_666_";

  private static final long MILLI = 1_000_000;
  private static final long TICK_NS = 1_000 * MILLI;
  private static final int MOST_AT_ONCE = 60;
  private static final int MOST_RUBBISH = 100;

  /**
   * Longer than each step of a handshake may take: a server may have to ask for a key first, and to
   * give that up.
   */
  private static final long LONGEST_STAY_NS = 15_000 * MILLI;

  private final Internet internet;
  private final Scheduler scheduler;
  private final StrangersGetNothing strangersGetNothing;
  private int addresses;

  private enum Manner {
    SILENT,
    RUBBISH,
    INVENTED_JOB,
    THE_JOB,
    CLUSTER
  }

  Strangers(Internet internet, StrangersGetNothing strangersGetNothing) {
    this.internet = internet;
    this.scheduler = internet.scheduler();
    this.strangersGetNothing = strangersGetNothing;
  }

  /** Whether a job's name was made up by one of them. */
  static boolean isInvented(String job) {
    return job.startsWith(INVENTED);
  }

  /** Many of them connect to a port at the same time, if somebody listens there. */
  void flood(int port) {
    SplittableRandom random = scheduler.random();
    int count = 1 + random.nextInt(MOST_AT_ONCE);
    for (int i = 0; i < count; i++) {
      Manner manner = Manner.values()[random.nextInt(Manner.values().length)];
      scheduler.after(
          scheduler.drawNs(0, 200 * MILLI),
          "stranger",
          internet.process(),
          () -> connect(port, manner));
    }
  }

  private void connect(int port, Manner manner) {
    Internet.Host host = internet.host(port);
    if (host != null) {
      new Stranger(host, manner).begin();
    }
  }

  /** One connection. */
  private final class Stranger implements SimulatedConnection.Output {
    private final SimulatedProcess server;
    private final Internet.Host host;
    private final Manner manner;
    private final String principal;
    private final byte[] clientNonce = Handshake.nonce();
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private final long sinceNs = scheduler.nowNs();
    private SimulatedConnection connection;
    private boolean gone;
    private long correlation;

    Stranger(Internet.Host host, Manner manner) {
      this.host = host;
      this.server = host.process();
      this.manner = manner;
      this.principal =
          switch (manner) {
            case CLUSTER -> Handshake.CLUSTER;
            case THE_JOB -> prefix() + Job.NAME;
            default -> prefix() + INVENTED + scheduler.random().nextInt(1_000_000);
          };
    }

    private String prefix() {
      return scheduler.random().nextBoolean() ? Handshake.JOB_PREFIX : Handshake.TASK_PREFIX;
    }

    void begin() {
      String address = "10.0." + addresses / 250 % 250 + "." + (1 + addresses % 250);
      addresses++;
      strangersGetNothing.came();
      InetSocketAddress peer = new InetSocketAddress(address, internet.nextPort());
      connection = host.listener().accept(peer, this);
      later(TICK_NS, this::tick);
      switch (manner) {
        case SILENT -> {}
        case RUBBISH -> send(rubbish());
        default -> send(frame(Operation.HELLO, hello()));
      }
    }

    /** Does something at the server, as long as it lives; late when it is stopped. */
    private void later(long delayNs, Runnable work) {
      scheduler.after(
          delayNs,
          "stranger",
          internet.process(),
          () -> {
            if (!server.isAlive()) {
              leave();
            } else if (scheduler.nowNs() < server.pausedUntilNs()) {
              later(server.pausedUntilNs() - scheduler.nowNs(), work);
            } else {
              work.run();
            }
          });
    }

    private void leave() {
      if (!gone) {
        gone = true;
        strangersGetNothing.left();
      }
    }

    private void tick() {
      if (!connection.isOpen()) {
        leave();
        return;
      }
      connection.runTasks();
      if (connection.isOpen()
          && scheduler.nowNs() - sinceNs - server.pausedNs(sinceNs) > LONGEST_STAY_NS) {
        strangersGetNothing.broken(
            server + " keeps a connection open that has proved nothing: principal=" + principal);
      }
      later(TICK_NS, this::tick);
    }

    private void send(byte[] bytes) {
      later(scheduler.drawNs(MILLI / 20, 20 * MILLI), () -> connection.receive(bytes));
    }

    private byte[] rubbish() {
      byte[] bytes = new byte[1 + scheduler.random().nextInt(MOST_RUBBISH)];
      scheduler.random().nextBytes(bytes);
      return bytes;
    }

    private MessageLite hello() {
      return HelloRequest.newBuilder()
          .setProtocolVersion(FrameDescriptor.VERSION)
          .setCaller("stranger")
          .setPrincipal(principal)
          .setClientNonce(ByteString.copyFrom(clientNonce))
          .build();
    }

    private byte[] frame(Operation<?, ?> operation, MessageLite header) {
      byte[] bytes = header.toByteArray();
      ByteBuffer frame = ByteBuffer.allocate(FrameDescriptor.LENGTH + bytes.length);
      FrameDescriptor.write(frame, operation, 0, ++correlation, bytes.length, 0);
      return frame.put(bytes).array();
    }

    @Override
    public void sent(byte[] bytes) {
      received.writeBytes(bytes);
      ByteBuffer all = ByteBuffer.wrap(received.toByteArray());
      try {
        while (isWhole(all)) {
          answered(all);
        }
      } catch (ProtocolException | InvalidProtocolBufferException e) {
        throw new IllegalStateException("a server sent what is no frame", e);
      }
      received.reset();
      received.write(all.array(), all.position(), all.remaining());
    }

    private static boolean isWhole(ByteBuffer all) throws ProtocolException {
      if (all.remaining() < FrameDescriptor.LENGTH) {
        return false;
      }
      int at = all.position();
      FrameDescriptor.check(all, at);
      return all.remaining()
          >= FrameDescriptor.LENGTH
              + FrameDescriptor.headerLength(all, at)
              + FrameDescriptor.payloadLength(all, at);
    }

    /** Takes one frame off. */
    private void answered(ByteBuffer all) throws ProtocolException, InvalidProtocolBufferException {
      int at = all.position();
      Operation<?, ?> operation =
          IfileService.SERVICE.ofCode(FrameDescriptor.operationCode(all, at));
      boolean good = (FrameDescriptor.flags(all, at) & FrameDescriptor.FLAG_ERROR) == 0;
      byte[] header = new byte[FrameDescriptor.headerLength(all, at)];
      all.position(at + FrameDescriptor.LENGTH);
      all.get(header);
      all.position(all.position() + FrameDescriptor.payloadLength(all, at));
      if (good && operation == Operation.HELLO) {
        prove(HelloResponse.parseFrom(header));
      } else if (good) {
        strangersGetNothing.broken(
            server + " answers " + operation + " of a stranger: principal=" + principal);
      }
    }

    /** Proves it with the wrong key, and does not wait for an answer before it asks. */
    private void prove(HelloResponse hello) {
      byte[] nonce = hello.getServerNonce().toByteArray();
      byte[] proof = Handshake.clientProof(KEY, principal, clientNonce, nonce);
      AuthenticateRequest.Builder proves =
          AuthenticateRequest.newBuilder().setClientProof(ByteString.copyFrom(proof));
      if (hello.getIntroduce()) {
        IntroductionBox box = box(nonce); // as the first task of a new job would
        proves
            .setEphemeralKey(ByteString.copyFrom(box.ephemeralKey()))
            .setBox(ByteString.copyFrom(box.bytes()));
      }
      send(frame(Operation.AUTHENTICATE, proves.build()));
      send(frame(IfileService.LIST_JOBS, ListJobsRequest.getDefaultInstance()));
      send(
          frame(
              IfileService.DESCRIBE_JOB, DescribeJobRequest.newBuilder().setJob(Job.NAME).build()));
    }

    /** A key of his own, and a ticket that he has made himself. */
    private IntroductionBox box(byte[] serverNonce) {
      byte[] session =
          ByteString.copyFrom(clientNonce).concat(ByteString.copyFrom(serverNonce)).toByteArray();
      String job = principal.substring(Handshake.TASK_PREFIX.length());
      Introduction introduction =
          Introduction.newBuilder()
              .setTaskKey(ByteString.copyFrom(KEY))
              .setNamesKey(true)
              .setTicket(JobTicket.of(KEY, job, "stranger", Long.MAX_VALUE / 2).toByteString())
              .build();
      return IntroductionBox.seal(Keys.publicKey(), principal, session, introduction);
    }

    @Override
    public void closed() {
      leave();
    }
  }
}
