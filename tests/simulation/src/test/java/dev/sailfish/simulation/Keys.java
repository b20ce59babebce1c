package dev.sailfish.simulation;

import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.introduction.JobTicket;
import dev.sailfish.ground.wire.introduction.ServerKey;
import dev.sailfish.ground.wire.message.Ticket;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Who proves what to whom: all secrets of a schedule, and the one place where they are used. */
final class Keys {
  private static final byte[] CLUSTER_SECRET =
      "the simulated cluster's own secret".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] TASK_SECRET =
      "what MapReduce gives to the tasks".getBytes(StandardCharsets.US_ASCII);

  private static final String PUBLIC_KEY = ServerKey.of(CLUSTER_SECRET).publicText();
  private static final long NEVER_MS = Long.MAX_VALUE / 2;

  private final boolean authenticated;

  /**
   * @param authenticated whether anybody proves anything
   */
  Keys(boolean authenticated) {
    this.authenticated = authenticated;
  }

  /** What the daemons share; absent when nobody is authenticated. */
  Optional<byte[]> clusterSecret() {
    return authenticated ? Optional.of(CLUSTER_SECRET.clone()) : Optional.empty();
  }

  /** A daemon's or command's. */
  Credentials cluster() {
    return authenticated ? Credentials.ofCluster(CLUSTER_SECRET) : Credentials.none();
  }

  /** A task's. */
  Credentials task(String job) {
    if (!authenticated) {
      return Credentials.none();
    }
    Ticket ticket = JobTicket.of(CLUSTER_SECRET, job, "simulated", NEVER_MS);
    return Credentials.ofJob(job, TASK_SECRET)
        .introducedTo(publicKey(), "test.key")
        .withTicket(JobTicket.text(ticket));
  }

  /** By which all the world knows the metaserver. */
  static String publicKey() {
    return PUBLIC_KEY;
  }
}
