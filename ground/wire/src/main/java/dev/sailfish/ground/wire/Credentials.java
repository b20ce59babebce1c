package dev.sailfish.ground.wire;

import com.google.protobuf.ByteString;
import dev.sailfish.ground.wire.introduction.IntroductionBox;
import dev.sailfish.ground.wire.introduction.JobTicket;
import dev.sailfish.ground.wire.introduction.ServerKey;
import dev.sailfish.ground.wire.message.AuthenticateRequest;
import dev.sailfish.ground.wire.message.AuthenticateResponse;
import dev.sailfish.ground.wire.message.HelloRequest;
import dev.sailfish.ground.wire.message.HelloResponse;
import dev.sailfish.ground.wire.message.Introduction;
import dev.sailfish.ground.wire.message.Ticket;
import dev.sailfish.ground.wire.secret.Handshake;
import dev.sailfish.ground.wire.secret.HmacSha256;
import dev.sailfish.ground.wire.secret.SealedKey;
import java.io.IOException;
import java.util.Base64;

/**
 * Who connects, and the key that proves it. Never shows its key. Thread-safe.
 *
 * <p>Those of a task learn something: the first connection to a server that admits jobs brings the
 * job's id and access key, which all later connections, to other servers too, are made with. So all
 * connections of a task share one object, and the first of them goes to a server that admits jobs.
 */
public final class Credentials {
  private static final long OWN_TICKET_MS = 3_600_000;

  private static final Credentials NONE = new Credentials("", null);

  private final String principal;
  private final byte[] key;

  // Of a task that is to be admitted: whether its secret is long, the servers' public key in hex
  // digits or empty, what that is set with, and why the job is to be admitted, or null.
  private final boolean namesKey;
  private final String serverKey;
  private final String setting;
  private final Evidence evidence;
  // Where those of each connection come from; null: these are they.
  private final Source source;
  // What a task has learnt: those of its job.
  private volatile Credentials admitted;

  private Credentials(String principal, byte[] key) {
    this(principal, key, false, "", "the key", null);
  }

  private Credentials(Source source) {
    this.principal = "user";
    this.key = null;
    this.namesKey = false;
    this.serverKey = "";
    this.setting = "";
    this.evidence = null;
    this.source = source;
  }

  private Credentials(
      String principal,
      byte[] key,
      boolean namesKey,
      String serverKey,
      String setting,
      Evidence evidence) {
    this.principal = principal;
    this.key = key;
    this.namesKey = namesKey;
    this.serverKey = serverKey;
    this.setting = setting;
    this.evidence = evidence;
    this.source = null;
  }

  /** Says who connects whenever somebody does. Thread-safe. */
  public interface Source {
    /**
     * Those for the next connection; may wait.
     *
     * @throws IOException when there are none, saying what to do
     */
    Credentials current() throws IOException;
  }

  /** Those that somebody else says anew for each connection, as tokens expire. */
  public static Credentials from(Source source) {
    return new Credentials(source);
  }

  /**
   * A user who bears a delegation token, and asks for what is his.
   *
   * @param identifier of the token, of any content: servers check it
   * @param password of the token; does not travel
   */
  public static Credentials ofToken(byte[] identifier, byte[] password) {
    String text = Base64.getUrlEncoder().withoutPadding().encodeToString(identifier);
    return new Credentials(Handshake.TOKEN_PREFIX + text, password.clone());
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
    return new Credentials(Handshake.CLUSTER, secret.clone());
  }

  /**
   * A program that has the access key of a job that was admitted.
   *
   * @param id the job's id
   */
  public static Credentials ofAdmitted(String id, byte[] accessKey) {
    Credentials job = new Credentials(Handshake.JOB_PREFIX + id, accessKey.clone());
    job.admitted = job;
    return job;
  }

  /**
   * A task, or another program that works for one job. Without {@link #introducedTo} it can work
   * only for a job that others have introduced, and that has a secret of 16 bytes or more.
   *
   * @param name the job's name
   * @param secret what MapReduce hands to all tasks of the job
   */
  public static Credentials ofJob(String name, byte[] secret) {
    byte[] taskKey = Handshake.taskKey(secret, name);
    boolean namesKey = Handshake.isLong(secret);
    return new Credentials(Handshake.TASK_PREFIX + name, taskKey, namesKey, "", "the key", null);
  }

  /**
   * The same, which introduce their job to servers with this key, and to no others.
   *
   * @param publicKey 64 hex digits, as {@code bin/sailfish env} prints them; empty: not known
   * @param setting what it is set with, for messages
   */
  public Credentials introducedTo(String publicKey, String setting) {
    return new Credentials(principal, key, namesKey, publicKey, setting, evidence);
  }

  /** The same with something that speaks for the job; without it, it has to be an application. */
  public Credentials with(Evidence spoken) {
    return new Credentials(principal, key, namesKey, serverKey, setting, spoken);
  }

  /**
   * The same with a ticket.
   *
   * @param text as {@code bin/sailfish ticket} prints it
   */
  public Credentials withTicket(String text) {
    return with(
        (job, introduction) -> introduction.setTicket(JobTicket.parse(text).toByteString()));
  }

  /**
   * The same for a program that has the cluster secret: it makes a ticket for its job, good for an
   * hour.
   *
   * @param user to whom the job counts in quotas
   */
  public Credentials admittedBy(byte[] clusterSecret, String user) {
    String job = principal.substring(Handshake.TASK_PREFIX.length());
    long expiryMs = Network.SOCKETS.wallMs() + OWN_TICKET_MS;
    Ticket ticket = JobTicket.of(clusterSecret, job, user, expiryMs);
    return introducedTo(ServerKey.of(clusterSecret).publicText(), "the cluster secret")
        .withTicket(JobTicket.text(ticket));
  }

  /** Whether these are a daemon's or command's of the cluster. */
  public boolean isCluster() {
    return principal.equals(Handshake.CLUSTER);
  }

  /**
   * The id by which servers know a job: all requests name that. Known to a task once its job is
   * admitted; where nobody is authenticated, and for the cluster, it is the name.
   *
   * @param name the job's name
   * @throws IllegalStateException when the task has asked no server to admit its job yet
   */
  public String jobId(String name) {
    if (key == null || isCluster()) {
      return name;
    }
    return requireAdmitted().jobOf();
  }

  /**
   * What the data of the job that these credentials are for is encrypted with.
   *
   * @throws IllegalStateException when they are not a job's, or of a task that has asked no server
   *     to admit its job yet
   */
  public byte[] dataKey() {
    Credentials job = requireJob();
    return Handshake.dataKey(job.key, job.jobOf());
  }

  /**
   * The code by which others who know a job's access key see that its program has said something.
   *
   * @param parts what is said, back to back; begins with words that nothing else begins with that
   *     the key is used for
   * @throws IllegalStateException as for {@link #dataKey}
   */
  public byte[] sign(byte[]... parts) {
    return HmacSha256.of(requireJob().key, parts);
  }

  private Credentials requireJob() {
    if (key == null || isCluster()) {
      throw new IllegalStateException("no job's key is here: credentials=" + this);
    }
    return requireAdmitted();
  }

  private Credentials requireAdmitted() {
    Credentials job = admitted;
    if (job == null) {
      throw new IllegalStateException(
          "the server that admits the job tells its id and key, and was not asked yet: " + this);
    }
    return job;
  }

  private String jobOf() {
    return principal.substring(Handshake.JOB_PREFIX.length());
  }

  /** The key of a job that a server has sealed for these credentials. */
  public byte[] open(SealedKey sealed, byte[] session, String job) throws IOException {
    return sealed.open(key, session, job);
  }

  /** Those to connect with now: the job's, once a task has them. */
  Credentials current() throws IOException {
    if (source != null) {
      return source.current();
    }
    Credentials job = admitted;
    return job == null ? this : job;
  }

  /** Whether there is anything to prove, and the server must prove itself. */
  public boolean isKeyed() {
    return key != null;
  }

  /** Whether the answer to AUTHENTICATE tells something. */
  boolean isTask() {
    return principal.startsWith(Handshake.TASK_PREFIX);
  }

  /** Who calls, as HELLO says it. */
  HelloRequest.Builder hello(byte[] clientNonce) {
    HelloRequest.Builder hello =
        HelloRequest.newBuilder()
            .setPrincipal(principal)
            .setClientNonce(ByteString.copyFrom(clientNonce));
    if (namesKey) {
      hello.setKeyId(ByteString.copyFrom(Handshake.keyId(key)));
    }
    return hello;
  }

  /**
   * Checks the server's proof and makes the client's.
   *
   * @param server address and name, for messages
   * @throws RemoteException UNAUTHENTICATED when the server has not proved who it is
   */
  AuthenticateRequest answer(HelloResponse hello, byte[] clientNonce, String server)
      throws IOException {
    byte[] serverNonce = serverNonce(hello, server);
    if (!HmacSha256.same(
        hello.getServerProof().toByteArray(),
        Handshake.serverProof(key, principal, clientNonce, serverNonce))) {
      throw RemoteException.unauthenticated(
          server
              + " did not prove that it knows the key of '"
              + principal
              + "'; is it the right server, and is the secret the same on both sides?");
    }
    byte[] proof = Handshake.clientProof(key, principal, clientNonce, serverNonce);
    return AuthenticateRequest.newBuilder().setClientProof(ByteString.copyFrom(proof)).build();
  }

  private static byte[] serverNonce(HelloResponse hello, String server) throws IOException {
    byte[] serverNonce = hello.getServerNonce().toByteArray();
    if (serverNonce.length == 0) {
      throw RemoteException.unauthenticated(
          server + " authenticates nobody, and this side wants it to");
    }
    if (serverNonce.length != Handshake.NONCE_LENGTH) {
      throw RemoteException.unauthenticated(
          server + " sent a nonce of length=" + serverNonce.length);
    }
    return serverNonce;
  }

  /** Whether a task has to introduce its job to the server, rather than to prove what it knows. */
  boolean introduces(HelloResponse hello, String server) throws IOException {
    serverNonce(hello, server);
    return isTask() && (hello.getIntroduce() || !namesKey);
  }

  /**
   * Makes what introduces the job: only servers that have the private key can use it.
   *
   * @throws RemoteException UNAUTHENTICATED when the public key is not known or none, or the
   *     evidence is none
   */
  IntroductionBox introduce(byte[] session, String server) throws IOException {
    String job = principal.substring(Handshake.TASK_PREFIX.length());
    if (serverKey.isEmpty()) {
      throw RemoteException.unauthenticated(
          ("%s wants job=%s to be introduced, which is done with the server's public key: set %s to"
                  + " what 'bin/sailfish env' prints")
              .formatted(server, job, setting));
    }
    Introduction.Builder introduction =
        Introduction.newBuilder().setTaskKey(ByteString.copyFrom(key)).setNamesKey(namesKey);
    try {
      if (evidence != null) {
        evidence.addTo(job, introduction);
      }
      return IntroductionBox.seal(serverKey, principal, session, introduction.build());
    } catch (IllegalArgumentException e) {
      throw RemoteException.unauthenticated(
          "job=%s cannot be introduced to %s, check its public key (%s) and the job's ticket: %s"
              .formatted(job, server, setting, e.getMessage()));
    }
  }

  /**
   * Takes over what the server has told, which proves that it may admit jobs: nobody else could
   * have sealed it.
   *
   * @param boxKey of the box that introduced the job; null when the server has proved before that
   *     it knows the task key
   * @throws RemoteException UNAUTHENTICATED when it is not sealed as only such a server can
   */
  void learn(AuthenticateResponse told, byte[] boxKey, byte[] session, String server)
      throws IOException {
    try {
      SealedKey sealed = new SealedKey(told.getSalt(), told.getSealedKey(), told.getMac());
      byte[] accessKey = sealed.open(boxKey == null ? key : boxKey, session, told.getJob());
      admitted = new Credentials(Handshake.JOB_PREFIX + told.getJob(), accessKey);
    } catch (IOException e) {
      throw RemoteException.unauthenticated(
          ("%s did not prove that it admits jobs to this cluster: its answer to '%s' was made with"
                  + " another key; is %s that of this cluster?")
              .formatted(server, principal, setting));
    }
  }

  @Override
  public String toString() {
    return principal + (key == null ? " without a key" : "");
  }
}
