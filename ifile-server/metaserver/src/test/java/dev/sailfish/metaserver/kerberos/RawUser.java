package dev.sailfish.metaserver.kerberos;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import dev.sailfish.ground.wire.FrameDescriptor;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.message.AuthenticateRequest;
import dev.sailfish.ground.wire.message.AuthenticateResponse;
import dev.sailfish.ground.wire.message.EmptyResponse;
import dev.sailfish.ground.wire.message.ErrorResponse;
import dev.sailfish.ground.wire.message.HelloRequest;
import dev.sailfish.ground.wire.message.HelloResponse;
import dev.sailfish.ground.wire.secret.Handshake;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;

/** A user's connection to a metaserver, frame by frame. */
final class RawUser implements Closeable {
  private static final int PATIENCE_MS = 20_000;

  private final Socket socket;
  private final DataInputStream in;
  private final OutputStream out;
  private long correlation;

  RawUser(int port) throws IOException {
    socket = new Socket("127.0.0.1", port);
    socket.setSoTimeout(PATIENCE_MS);
    in = new DataInputStream(socket.getInputStream());
    out = socket.getOutputStream();
  }

  /** Says HELLO; returns both nonces. */
  byte[] greet() throws IOException {
    byte[] nonce = Handshake.nonce();
    HelloRequest hello =
        HelloRequest.newBuilder()
            .setProtocolVersion(FrameDescriptor.VERSION)
            .setCaller("raw")
            .setPrincipal(Handshake.USER)
            .setClientNonce(ByteString.copyFrom(nonce))
            .build();
    HelloResponse answer =
        HelloResponse.parser()
            .parseFrom(answer(Operation.HELLO, hello, FrameDescriptor.FLAG_RESPONSE));
    assertThat(answer.getNegotiate()).isTrue();
    return ByteString.copyFrom(nonce).concat(answer.getServerNonce()).toByteArray();
  }

  private static AuthenticateRequest tokenOf(byte[] token) {
    return AuthenticateRequest.newBuilder().setGssToken(ByteString.copyFrom(token)).build();
  }

  /** Sends a token; returns the server's. */
  byte[] authenticate(byte[] token) throws IOException {
    return AuthenticateResponse.parser()
        .parseFrom(answer(Operation.AUTHENTICATE, tokenOf(token), FrameDescriptor.FLAG_RESPONSE))
        .getGssToken()
        .toByteArray();
  }

  /** Sends a token that is no good; returns why. */
  String refusedToken(byte[] token) throws IOException {
    return refused(Operation.AUTHENTICATE, tokenOf(token), Status.UNAUTHENTICATED);
  }

  /** Sends a request without fields, which is refused; returns why. */
  String refused(Operation<?, ?> operation, Status status) throws IOException {
    return refused(operation, EmptyResponse.getDefaultInstance(), status);
  }

  private String refused(Operation<?, ?> operation, MessageLite header, Status status)
      throws IOException {
    ErrorResponse error =
        ErrorResponse.parser()
            .parseFrom(
                answer(
                    operation, header, FrameDescriptor.FLAG_RESPONSE | FrameDescriptor.FLAG_ERROR));
    assertThat(Status.ofCode(error.getStatus())).as(error.getMessage()).isEqualTo(status);
    return error.getMessage();
  }

  private byte[] answer(Operation<?, ?> operation, MessageLite header, int flags)
      throws IOException {
    byte[] bytes = header.toByteArray();
    ByteBuffer frame = ByteBuffer.allocate(FrameDescriptor.LENGTH + bytes.length);
    FrameDescriptor.write(frame, operation, 0, ++correlation, bytes.length, 0);
    out.write(frame.put(bytes).array());
    out.flush();
    ByteBuffer fixed = ByteBuffer.wrap(in.readNBytes(FrameDescriptor.LENGTH));
    assertThat(fixed.remaining()).as("bytes of an answer").isEqualTo(FrameDescriptor.LENGTH);
    FrameDescriptor.check(fixed, 0);
    byte[] answer = in.readNBytes(FrameDescriptor.headerLength(fixed, 0));
    assertThat(FrameDescriptor.flags(fixed, 0)).isEqualTo(flags);
    assertThat(FrameDescriptor.correlation(fixed, 0)).isEqualTo(correlation);
    return answer;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
