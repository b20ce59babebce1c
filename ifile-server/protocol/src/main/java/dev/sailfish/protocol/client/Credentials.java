package dev.sailfish.protocol.client;

import com.google.protobuf.ByteString;
import dev.sailfish.protocol.Handshake;
import dev.sailfish.protocol.HmacSha256;
import dev.sailfish.protocol.RemoteException;
import dev.sailfish.protocol.SealedKey;
import dev.sailfish.protocol.Status;
import dev.sailfish.protocol.wire.AuthenticateRequest;
import dev.sailfish.protocol.wire.GetJobKeyResponse;
import dev.sailfish.protocol.wire.HelloResponse;
import java.io.IOException;

/** Who connects, and the key that proves it. Immutable; never shows its key. */
public final class Credentials {
  private static final Credentials NONE = new Credentials("", null, false);

  private final String principal;
  private final byte[] key;
  private final boolean introducing;

  private Credentials(String principal, byte[] key, boolean introducing) {
    this.principal = principal;
    this.key = key;
    this.introducing = introducing;
  }

  /** Nobody in particular: for servers that authenticate nobody, and for no others. */
  public static Credentials none() {
    return NONE;
  }

  /**
   * A daemon or command of the cluster.
   *
   * @param secret the cluster secret
   */
  public static Credentials ofCluster(byte[] secret) {
    return new Credentials(Handshake.CLUSTER, secret.clone(), false);
  }

  /**
   * A task.
   *
   * @param job its job's id
   * @param secret what MapReduce hands to all tasks of the job
   */
  public static Credentials ofJob(String job, byte[] secret) {
    return new Credentials(Handshake.JOB_PREFIX + job, Handshake.jobKey(secret, job), false);
  }

  /**
   * The same for the first connections of a job: these give the key to a server that wants it. To
   * be used towards the metaserver alone, and only where the job may be new, because whoever can
   * put himself in the metaserver's place gets a key in this way.
   */
  public Credentials introducing() {
    return new Credentials(principal, key, true);
  }

  /** Whether these are a daemon's or command's of the cluster. */
  public boolean isCluster() {
    return principal.equals(Handshake.CLUSTER);
  }

  /**
   * What the data of the job that these credentials are for is encrypted with.
   *
   * @throws IllegalStateException when they are not a job's
   */
  public byte[] dataKey() {
    if (key == null || isCluster()) {
      throw new IllegalStateException("no job's key is here: credentials=" + this);
    }
    return Handshake.dataKey(key, principal.substring(Handshake.JOB_PREFIX.length()));
  }

  /** The key in an answer to GET_JOB_KEY that these credentials of the cluster have asked for. */
  byte[] open(GetJobKeyResponse answer, byte[] session, String job) throws IOException {
    return SealedKey.open(key, session, job, answer);
  }

  String principal() {
    return principal;
  }

  /** Whether there is anything to prove, and the server must prove itself. */
  boolean isKeyed() {
    return key != null;
  }

  /**
   * Checks what the server has sent and makes the client's proof.
   *
   * @param server address and name, for messages
   * @throws RemoteException UNAUTHENTICATED when the server has not proved who it is
   */
  AuthenticateRequest answer(HelloResponse hello, byte[] clientNonce, String server)
      throws RemoteException {
    byte[] serverNonce = hello.getServerNonce().toByteArray();
    if (serverNonce.length == 0) {
      throw refused(server + " authenticates nobody, and this side wants it to");
    }
    if (serverNonce.length != Handshake.NONCE_LENGTH) {
      throw refused(server + " sent a nonce of length=" + serverNonce.length);
    }
    AuthenticateRequest.Builder answer = AuthenticateRequest.newBuilder();
    if (hello.getKeyWanted()) {
      if (!introducing) {
        throw refused(
            server
                + " does not know the key of '"
                + principal
                + "' and asks for it, which only a job's map tasks give: the job is unknown there,"
                + " or the metaserver was restarted");
      }
      answer.setJobKey(ByteString.copyFrom(key));
    } else if (!HmacSha256.same(
        hello.getServerProof().toByteArray(),
        Handshake.serverProof(key, principal, clientNonce, serverNonce))) {
      throw refused(
          server
              + " did not prove that it knows the key of '"
              + principal
              + "'; is it the right server, and is the secret the same on both sides?");
    }
    byte[] proof = Handshake.clientProof(key, principal, clientNonce, serverNonce);
    return answer.setClientProof(ByteString.copyFrom(proof)).build();
  }

  private static RemoteException refused(String message) {
    return new RemoteException(Status.UNAUTHENTICATED, message);
  }

  @Override
  public String toString() {
    return principal + (key == null ? " without a key" : "");
  }
}
