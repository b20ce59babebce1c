package dev.sailfish.ground.server.frame;

import com.google.protobuf.ByteString;
import dev.sailfish.ground.server.Authenticator;
import dev.sailfish.ground.server.Negotiation;
import dev.sailfish.ground.server.Principal;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.ServerMetric;
import dev.sailfish.ground.wire.FrameDescriptor;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.ProtocolException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.message.AuthenticateRequest;
import dev.sailfish.ground.wire.message.AuthenticateResponse;
import dev.sailfish.ground.wire.message.HelloRequest;
import dev.sailfish.ground.wire.message.HelloResponse;
import dev.sailfish.ground.wire.secret.Handshake;
import dev.sailfish.ground.wire.secret.HmacSha256;
import dev.sailfish.ground.wire.secret.SealedKey;

/**
 * The server's side of one connection's handshake; see {@link HandshakeState}. On the connection's
 * I/O thread, to which answers of the {@link Authenticator} are brought.
 */
final class ServerHandshake {
  private static final byte[] NO_BYTES = {};

  private final ServerShared shared;
  private final FrameConnection connection;
  private final byte[] serverNonce = Handshake.nonce();
  private HandshakeState state = HandshakeState.GREETING;
  private String name = "";
  private byte[] clientNonce = NO_BYTES;
  // The principal that is to be proved; null while an introduction is wanted.
  private Principal claimed;
  // Of a task: under which it is told what its job's rights are bound to.
  private byte[] taskKey;
  // Of a user: who finds out who it is.
  private Negotiation negotiation;
  private Principal principal;

  ServerHandshake(ServerShared shared, FrameConnection connection) {
    this.shared = shared;
    this.connection = connection;
  }

  HandshakeState state() {
    return state;
  }

  /** Who has proved himself, or null. */
  Principal principal() {
    return principal;
  }

  /** Both nonces, the client's first; empty when nobody is authenticated here. */
  byte[] session() {
    return clientNonce.length == 0 ? NO_BYTES : Handshake.session(clientNonce, serverNonce);
  }

  private void become(HandshakeState next) {
    if (!state.mayBecome(next)) {
      throw new IllegalStateException("handshake is " + state + " and cannot become " + next);
    }
    state = next;
  }

  /** The one frame that may come next, or null when requests may. */
  Operation<?, ?> awaited() {
    return switch (state) {
      case GREETING -> Operation.HELLO;
      case PROVING -> Operation.AUTHENTICATE;
      default -> null;
    };
  }

  /** Checks that a frame may come now. */
  void check(Operation<?, ?> operation, int payloadLength) throws ProtocolException {
    Operation<?, ?> awaited = awaited();
    if (awaited == null) {
      if (operation == Operation.HELLO || operation == Operation.AUTHENTICATE) {
        throw new ProtocolException(operation + " came twice on a connection");
      }
      return;
    }
    if (operation != awaited) {
      throw new ProtocolException(
          awaited == Operation.HELLO
              ? "first frame must be HELLO: operation=" + operation
              : "connection is not authenticated, AUTHENTICATE must come before any request:"
                  + " operation="
                  + operation);
    }
    if (payloadLength > 0) {
      throw new ProtocolException(operation + " has a payload: length=" + payloadLength);
    }
  }

  /** HELLO has come. */
  void hello(InboundRequest request) throws RequestRefusedException {
    HelloRequest hello = request.header(HelloRequest.parser());
    if (hello.getProtocolVersion() < FrameDescriptor.VERSION) {
      refuse(request, Status.VERSION_MISMATCH, versionMismatch(hello.getProtocolVersion()));
      return;
    }
    connection.calledBy(hello.getCaller());
    if (shared.authenticator() == null) {
      principal = Principal.EVERYBODY;
      become(HandshakeState.DONE);
      request.reply(response().build());
      return;
    }
    clientNonce = hello.getClientNonce().toByteArray();
    if (clientNonce.length != Handshake.NONCE_LENGTH) {
      refuse(
          request,
          Status.UNAUTHENTICATED,
          clientNonce.length == 0
              ? shared.config().name()
                  + " authenticates its clients, and this one has no key: set the authentication"
                  + " of both sides to 'secret'"
              : "nonce has length=" + clientNonce.length + " instead of " + Handshake.NONCE_LENGTH);
      return;
    }
    name = hello.getPrincipal();
    become(HandshakeState.FINDING_KEY);
    shared
        .authenticator()
        .find(name, hello.getKeyId().toByteArray(), new Found(this, request, false));
  }

  private HelloResponse.Builder response() {
    return HelloResponse.newBuilder()
        .setProtocolVersion(FrameDescriptor.VERSION)
        .setServer(shared.config().name());
  }

  private String versionMismatch(int theirs) {
    return ("caller speaks protocol version=%s, %s speaks version=%s; use the same release of"
            + " Sailfish on both sides")
        .formatted(theirs, shared.config().name(), FrameDescriptor.VERSION);
  }

  /** Brings the answer to HELLO, or to an introduction, to the I/O thread. */
  private record Found(ServerHandshake handshake, InboundRequest request, boolean introduced)
      implements Authenticator.Answer {
    @Override
    public void found(Principal principal, byte[] key) {
      handshake.connection.onLoop(
          () -> {
            if (introduced) {
              handshake.admitted(request, principal, key);
            } else {
              handshake.challenge(request, principal, key);
            }
          });
    }

    @Override
    public void introduce() {
      if (introduced) {
        refused(Status.INTERNAL, "the introduction was not taken");
      } else {
        handshake.connection.onLoop(() -> handshake.challenge(request, null, null));
      }
    }

    @Override
    public void negotiate(Negotiation negotiation) {
      if (introduced) {
        Authenticator.Answer.super.negotiate(negotiation);
      } else {
        handshake.connection.onLoop(() -> handshake.negotiate(request, negotiation));
      }
    }

    @Override
    public void refused(Status status, String message) {
      handshake.connection.onLoop(() -> handshake.refuse(request, status, message));
    }
  }

  /** Answers HELLO of a user. */
  private void negotiate(InboundRequest request, Negotiation begun) {
    negotiation = begun;
    become(HandshakeState.PROVING);
    request.reply(
        response().setServerNonce(ByteString.copyFrom(serverNonce)).setNegotiate(true).build());
    connection.handshakeMoved();
  }

  /** Answers HELLO; without a principal the task must introduce its job. */
  private void challenge(InboundRequest request, Principal found, byte[] itsTaskKey) {
    claimed = found;
    taskKey = itsTaskKey;
    become(HandshakeState.PROVING);
    HelloResponse.Builder response = response().setServerNonce(ByteString.copyFrom(serverNonce));
    if (found == null) {
      response.setIntroduce(true);
    } else {
      byte[] proof = Handshake.serverProof(provedKey(), name, clientNonce, serverNonce);
      response.setServerProof(ByteString.copyFrom(proof));
    }
    request.reply(response.build());
    connection.handshakeMoved();
  }

  private byte[] provedKey() {
    return taskKey == null ? claimed.copyOfKey() : taskKey;
  }

  /** AUTHENTICATE has come. */
  void authenticate(InboundRequest request) throws RequestRefusedException {
    AuthenticateRequest answer = request.header(AuthenticateRequest.parser());
    if (negotiation != null) {
      become(HandshakeState.NEGOTIATING);
      negotiation.next(session(), answer.getGssToken().toByteArray(), new Stepped(this, request));
      return;
    }
    if (claimed == null) {
      become(HandshakeState.ADMITTING);
      Authenticator.Introduced introduced =
          new Authenticator.Introduced(
              name,
              session(),
              answer.getEphemeralKey().toByteArray(),
              answer.getBox().toByteArray(),
              request);
      shared.authenticator().introduce(introduced, new Found(this, request, true));
      return;
    }
    byte[] proof = answer.getClientProof().toByteArray();
    byte[] right = Handshake.clientProof(provedKey(), name, clientNonce, serverNonce);
    if (!HmacSha256.same(proof, right)) {
      refuse(request, Status.UNAUTHENTICATED, wrongKey());
      return;
    }
    proved(request);
  }

  private void proved(InboundRequest request) {
    principal = claimed;
    become(HandshakeState.DONE);
    connection.authenticated();
    request.reply(told());
  }

  /** What AUTHENTICATE is answered with: to a task, its job's id and key. */
  private AuthenticateResponse told() {
    if (taskKey == null) {
      return AuthenticateResponse.getDefaultInstance();
    }
    SealedKey sealed = SealedKey.seal(taskKey, session(), principal.job(), principal.copyOfKey());
    return AuthenticateResponse.newBuilder()
        .setJob(principal.job())
        .setSalt(sealed.salt())
        .setSealedKey(sealed.sealed())
        .setMac(sealed.mac())
        .build();
  }

  /** The box could be opened, and its job is admitted. */
  private void admitted(InboundRequest request, Principal found, byte[] boxKey) {
    claimed = found;
    taskKey = boxKey;
    proved(request);
    connection.handshakeMoved();
  }

  /** Brings the answer to the I/O thread. */
  private record Stepped(ServerHandshake handshake, InboundRequest request)
      implements Negotiation.Step {
    @Override
    public void more(byte[] token) {
      handshake.connection.onLoop(
          () -> handshake.negotiated(request, HandshakeState.PROVING, token));
    }

    @Override
    public void done(byte[] token, Principal user) {
      handshake.connection.onLoop(
          () -> {
            handshake.principal = user;
            handshake.negotiated(request, HandshakeState.DONE, token);
            handshake.connection.authenticated();
          });
    }

    @Override
    public void refused(Status status, String message) {
      handshake.connection.onLoop(() -> handshake.refuse(request, status, message));
    }
  }

  /** A user's token was looked at, and this is the answer to it. */
  private void negotiated(InboundRequest request, HandshakeState next, byte[] token) {
    become(next);
    request.reply(
        AuthenticateResponse.newBuilder().setGssToken(ByteString.copyFrom(token)).build());
    connection.handshakeMoved();
  }

  private String wrongKey() {
    return ("proof of '%s' was not made with the key that %s knows; is the secret the same on"
            + " both sides?")
        .formatted(name, shared.config().name());
  }

  private void refuse(InboundRequest request, Status status, String message) {
    become(HandshakeState.REFUSED);
    if (status == Status.UNAUTHENTICATED) {
      shared.metrics().increment(ServerMetric.UNAUTHENTICATED);
    }
    connection.refuse(request, status, message);
  }
}
