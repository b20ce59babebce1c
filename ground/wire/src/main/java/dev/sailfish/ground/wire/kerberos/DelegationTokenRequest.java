package dev.sailfish.ground.wire.kerberos;

import com.google.protobuf.ByteString;
import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.FrameDescriptor;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.message.AuthenticateRequest;
import dev.sailfish.ground.wire.message.AuthenticateResponse;
import dev.sailfish.ground.wire.message.DelegationTokenWish;
import dev.sailfish.ground.wire.message.GetDelegationTokenRequest;
import dev.sailfish.ground.wire.message.GetDelegationTokenResponse;
import dev.sailfish.ground.wire.message.HelloRequest;
import dev.sailfish.ground.wire.message.HelloResponse;
import dev.sailfish.ground.wire.message.IssuedToken;
import dev.sailfish.ground.wire.secret.Handshake;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/**
 * Asks a server for a delegation token, as the Kerberos user that the calling thread's Subject is.
 * Any server of its kind in a cluster can issue one, so the first that can be reached is asked.
 *
 * @param operation by which servers of that kind are asked
 * @param caller who calls, for the server's log
 * @param server principal that the server must prove to be, {@code service/host@REALM}; the host
 *     {@link ServicePrincipal#HOST} stands for the canonical name of the host that is connected to
 * @param owner on whose behalf the token's bearer is to act; empty: on that of the user himself
 * @param renewer who may renew it, or empty
 */
public record DelegationTokenRequest(
    Operation<GetDelegationTokenRequest, GetDelegationTokenResponse> operation,
    String caller,
    String server,
    String owner,
    String renewer) {
  private static final byte[] START = {};

  /**
   * A token with its secret.
   *
   * @param identifier says on whose behalf its bearer acts, and until when
   * @param password what only its bearers know, 32 bytes
   */
  public record Issued(byte[] identifier, byte[] password) {}

  /**
   * Asks.
   *
   * @param network what the connections go over
   * @param addresses of the servers, at least one
   * @param deadline of each connect and of each reply; what the KDC may take is in krb5.conf
   * @throws RemoteException when the server refuses, or has not proved who it is
   * @throws IOException when none can be reached, or the user has no ticket
   */
  public Issued ask(Network network, List<InetSocketAddress> addresses, Duration deadline)
      throws IOException {
    IOException last = new IOException("no address of a server is given");
    for (InetSocketAddress address : addresses) {
      getTicket(address);
      try (Connection connection = Connection.openSilent(network, address, deadline)) {
        return ask(connection);
      } catch (IOException e) {
        if (e instanceof RemoteException refusal && !refusal.status().retryable()) {
          throw e;
        }
        last = e;
      }
    }
    throw last;
  }

  /**
   * Has the KDC give the ticket for the server, which stays in the user's Subject: a server that is
   * connected to does not wait for the KDC.
   */
  private void getTicket(InetSocketAddress address) throws IOException {
    GssSession unused = GssSession.initiate(principalOf(address), Handshake.nonce());
    try {
      unused.next(START);
    } finally {
      unused.close();
    }
  }

  private Issued ask(Connection connection) throws IOException {
    byte[] nonce = Handshake.nonce();
    HelloResponse hello =
        connection.call(
            Operation.HELLO,
            HelloRequest.newBuilder()
                .setProtocolVersion(FrameDescriptor.VERSION)
                .setCaller(caller)
                .setPrincipal(Handshake.USER)
                .setClientNonce(ByteString.copyFrom(nonce))
                .build(),
            HelloResponse.parser());
    if (!hello.getNegotiate() || hello.getServerNonce().size() != Handshake.NONCE_LENGTH) {
      throw new RemoteException(
          Status.UNAUTHENTICATED,
          connection.address()
              + " ("
              + hello.getServer()
              + ") gives no tokens, because it authenticates nobody: no job needs one there");
    }
    byte[] session = Handshake.session(nonce, hello.getServerNonce().toByteArray());
    GssSession gss = GssSession.initiate(principalOf(connection.address()), session);
    try {
      negotiate(connection, gss);
      return issued(connection, gss);
    } finally {
      gss.close();
    }
  }

  /** Who is at an address, if it is such a server. */
  private String principalOf(InetSocketAddress address) {
    return ServicePrincipal.needsHost(server) && !address.isUnresolved()
        ? ServicePrincipal.at(server, address.getAddress())
        : server;
  }

  private void negotiate(Connection connection, GssSession gss) throws IOException {
    byte[] token = gss.next(START);
    while (token.length > 0) {
      AuthenticateResponse answer =
          connection.call(
              Operation.AUTHENTICATE,
              AuthenticateRequest.newBuilder().setGssToken(ByteString.copyFrom(token)).build(),
              AuthenticateResponse.parser());
      token = gss.isDone() ? START : gss.next(answer.getGssToken().toByteArray());
    }
    if (!gss.isDone()) {
      throw new RemoteException(
          Status.UNAUTHENTICATED,
          "Kerberos: "
              + connection.address()
              + " says no more, and has not proved that it is "
              + server);
    }
  }

  private Issued issued(Connection connection, GssSession gss) throws IOException {
    DelegationTokenWish wish =
        DelegationTokenWish.newBuilder().setOwner(owner).setRenewer(renewer).build();
    GetDelegationTokenResponse answer =
        connection.call(
            operation,
            GetDelegationTokenRequest.newBuilder()
                .setSealed(ByteString.copyFrom(gss.seal(wish.toByteArray())))
                .build(),
            GetDelegationTokenResponse.parser());
    IssuedToken token = IssuedToken.parseFrom(gss.open(answer.getSealed().toByteArray()));
    return new Issued(token.getIdentifier().toByteArray(), token.getPassword().toByteArray());
  }
}
