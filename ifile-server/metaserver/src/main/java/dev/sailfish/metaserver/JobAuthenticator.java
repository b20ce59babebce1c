package dev.sailfish.metaserver;

import com.google.protobuf.ByteString;
import dev.sailfish.metaserver.wire.BindKey;
import dev.sailfish.metaserver.wire.JournalEntry;
import dev.sailfish.metaserver.wire.JournalReply;
import dev.sailfish.protocol.Handshake;
import dev.sailfish.protocol.SealedKey;
import dev.sailfish.protocol.Status;
import dev.sailfish.protocol.wire.GetJobKeyResponse;
import dev.sailfish.transport.Authenticator;
import dev.sailfish.transport.Principal;
import dev.sailfish.transport.RequestRefusedException;

/** Who may connect to the metaserver: the cluster, and jobs with the keys they are bound to. */
final class JobAuthenticator implements Authenticator {
  private final StateDriver driver;
  private final byte[] secret;
  private final Principal cluster;

  JobAuthenticator(StateDriver driver, byte[] secret) {
    this.driver = driver;
    this.secret = secret.clone();
    this.cluster = Principal.ofCluster(secret);
  }

  @Override
  public void find(String name, Answer answer) {
    if (name.equals(Handshake.CLUSTER)) {
      answer.found(cluster);
      return;
    }
    Principal principal;
    try {
      String job = job(name);
      principal = driver.lead((state, now) -> state.keyOf(job, now));
    } catch (RequestRefusedException e) {
      answer.refused(e.status(), e.getMessage());
      return;
    }
    if (principal == null) {
      answer.wanted();
    } else {
      answer.found(principal);
    }
  }

  @Override
  public void bind(String name, byte[] key, Answer answer) {
    BindKey.Builder bound = BindKey.newBuilder().setKey(ByteString.copyFrom(key));
    try {
      bound.setJob(job(name));
    } catch (RequestRefusedException e) {
      answer.refused(e.status(), e.getMessage());
      return;
    }
    driver
        .change(JournalEntry.newBuilder().setBindKey(bound))
        .whenComplete((reply, error) -> bound(name, reply, error, answer));
  }

  /** Whose key counts is known once the entry is applied. */
  private void bound(String name, JournalReply reply, Throwable error, Answer answer) {
    if (error != null) {
      answer.refused(Status.INTERNAL, "the metaserver's journal fails: " + error);
    } else if (reply.getStatus() != 0) {
      answer.refused(Status.ofCode(reply.getStatus()), reply.getMessage());
    } else {
      find(name, answer);
    }
  }

  private static String job(String name) throws RequestRefusedException {
    if (!name.startsWith(Handshake.JOB_PREFIX)) {
      throw new RequestRefusedException(
          Status.UNAUTHENTICATED, "principal must be 'cluster' or 'job <id>'");
    }
    return JobSpec.requireName(name.substring(Handshake.JOB_PREFIX.length()));
  }

  /**
   * A job's key, for a chunkserver.
   *
   * @param principal with the job's key, or null
   * @param session of the connection that it goes over
   * @throws RequestRefusedException JOB_UNKNOWN when nobody has used the job yet
   */
  GetJobKeyResponse seal(String job, Principal principal, byte[] session)
      throws RequestRefusedException {
    if (principal == null) {
      throw new RequestRefusedException(
          Status.JOB_UNKNOWN, "no key is bound to the job: job=" + job);
    }
    return SealedKey.seal(secret, session, job, principal.copyOfKey());
  }
}
