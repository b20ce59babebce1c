package dev.sailfish.counter;

import dev.sailfish.ground.server.Authenticator;
import dev.sailfish.ground.server.Principal;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.secret.Handshake;
import dev.sailfish.ground.wire.secret.HmacSha256;
import java.nio.charset.StandardCharsets;

/** Daemons and commands know the cluster's secret, and a job's secret follows from that. */
record CounterAuthenticator(byte[] secret) implements Authenticator {
  /** What the tasks of a job are given. */
  static byte[] jobSecret(byte[] secret, String job) {
    return HmacSha256.of(secret, job.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public void find(String name, byte[] keyId, Answer answer) {
    boolean task = name.startsWith(Handshake.TASK_PREFIX);
    String job = name.substring(name.indexOf(' ') + 1);
    if (name.equals(Handshake.CLUSTER)) {
      answer.found(Principal.ofCluster(secret));
    } else if (!job.isEmpty() && (task || name.startsWith(Handshake.JOB_PREFIX))) {
      byte[] key = Handshake.taskKey(jobSecret(secret, job), job);
      answer.found(Principal.ofJob(job, key), task ? key : null);
    } else {
      answer.refused(Status.UNAUTHENTICATED, "principal must be 'cluster' or a job's");
    }
  }
}
