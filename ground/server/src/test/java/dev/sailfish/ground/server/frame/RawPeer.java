package dev.sailfish.ground.server.frame;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import dev.sailfish.ground.wire.FrameDescriptor;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.message.AuthenticateRequest;
import dev.sailfish.ground.wire.message.ErrorResponse;
import dev.sailfish.ground.wire.message.HelloRequest;
import dev.sailfish.ground.wire.message.HelloResponse;
import dev.sailfish.ground.wire.secret.Handshake;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;

/** A client that sends what no good client would. */
final class RawPeer implements Closeable {
  private static final int PATIENCE_MS = 20_000;

  private final Socket socket;
  private final DataInputStream in;
  private final OutputStream out;

  RawPeer(int port) throws IOException {
    socket = new Socket("127.0.0.1", port);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(PATIENCE_MS);
    in = new DataInputStream(socket.getInputStream());
    out = socket.getOutputStream();
  }

  static byte[] frame(Operation<?, ?> operation, long correlation, MessageLite header) {
    byte[] bytes = header.toByteArray();
    ByteBuffer frame = ByteBuffer.allocate(FrameDescriptor.LENGTH + bytes.length);
    FrameDescriptor.write(frame, operation, 0, correlation, bytes.length, 0);
    return frame.put(bytes).array();
  }

  static byte[] hello(String principal, byte[] nonce) {
    return frame(
        Operation.HELLO,
        1,
        HelloRequest.newBuilder()
            .setProtocolVersion(FrameDescriptor.VERSION)
            .setCaller("raw")
            .setPrincipal(principal)
            .setClientNonce(ByteString.copyFrom(nonce))
            .build());
  }

  static byte[] authenticate(byte[] proof) {
    return frame(
        Operation.AUTHENTICATE,
        2,
        AuthenticateRequest.newBuilder().setClientProof(ByteString.copyFrom(proof)).build());
  }

  /** The right answer to a server's HELLO, with whatever key. */
  static byte[] authenticate(byte[] key, String principal, byte[] nonce, HelloResponse hello) {
    return authenticate(
        Handshake.clientProof(key, principal, nonce, hello.getServerNonce().toByteArray()));
  }

  void send(byte[]... frames) throws IOException {
    for (byte[] frame : frames) {
      out.write(frame);
    }
    out.flush();
  }

  /** Exchanges HELLO. */
  HelloResponse greet(String principal, byte[] nonce) throws IOException {
    send(hello(principal, nonce));
    return HelloResponse.parser().parseFrom(good(1));
  }

  /** The header of a good answer to the request with this correlation id. */
  byte[] good(long correlation) throws IOException {
    return answer(correlation, FrameDescriptor.FLAG_RESPONSE);
  }

  /** The next answer is a refusal with this status; its message. */
  String refused(long correlation, Status status) throws IOException {
    ErrorResponse error =
        ErrorResponse.parser()
            .parseFrom(
                answer(correlation, FrameDescriptor.FLAG_RESPONSE | FrameDescriptor.FLAG_ERROR));
    assertThat(Status.ofCode(error.getStatus())).as(error.getMessage()).isEqualTo(status);
    return error.getMessage();
  }

  private byte[] answer(long correlation, int flags) throws IOException {
    ByteBuffer fixed = ByteBuffer.wrap(in.readNBytes(FrameDescriptor.LENGTH));
    assertThat(fixed.remaining()).as("bytes of an answer").isEqualTo(FrameDescriptor.LENGTH);
    FrameDescriptor.check(fixed, 0);
    byte[] header = in.readNBytes(FrameDescriptor.headerLength(fixed, 0));
    in.readNBytes(FrameDescriptor.payloadLength(fixed, 0));
    assertThat(FrameDescriptor.flags(fixed, 0)).isEqualTo(flags);
    assertThat(FrameDescriptor.correlation(fixed, 0)).isEqualTo(correlation);
    return header;
  }

  /** Nothing more comes. */
  void ended() throws IOException {
    try {
      assertThat(in.read()).isEqualTo(-1);
    } catch (SocketException e) {
      assertThat(e).hasMessageContaining("reset");
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
