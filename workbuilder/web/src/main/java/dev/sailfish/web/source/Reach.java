package dev.sailfish.web.source;

import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import java.time.Duration;

/**
 * How servers of the cluster are reached.
 *
 * @param network what connections go over
 * @param credentials with which they are made
 * @param deadline of each connect and each answer
 */
public record Reach(Network network, Credentials credentials, Duration deadline) {
  /** What servers' logs call this process. */
  public static final String CALLER = "web";
}
