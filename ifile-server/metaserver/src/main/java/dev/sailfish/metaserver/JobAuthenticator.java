package dev.sailfish.metaserver;

import dev.sailfish.protocol.Handshake;
import dev.sailfish.protocol.Status;
import dev.sailfish.protocol.wire.GetJobKeyResponse;
import dev.sailfish.transport.Authenticator;
import dev.sailfish.transport.Principal;
import dev.sailfish.transport.RequestRefusedException;
import dev.sailfish.transport.SealedKey;

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
      principal = driver.apply((state, now) -> state.keyOf(job));
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
  public Principal bind(String name, byte[] key) throws RequestRefusedException {
    String job = job(name);
    return driver.apply((state, now) -> state.bindKey(job, key, now));
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
   * @param session of the connection that it goes over
   * @throws RequestRefusedException JOB_UNKNOWN when the job has ended or nobody has used it yet
   */
  GetJobKeyResponse seal(String job, byte[] session) throws RequestRefusedException {
    Principal principal = driver.apply((state, now) -> state.keyOf(job));
    if (principal == null) {
      throw new RequestRefusedException(
          Status.JOB_UNKNOWN, "no key is bound to the job: job=" + job);
    }
    return SealedKey.seal(secret, session, job, principal.copyOfKey());
  }
}
