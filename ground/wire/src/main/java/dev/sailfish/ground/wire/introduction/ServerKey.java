package dev.sailfish.ground.wire.introduction;

import dev.sailfish.ground.wire.secret.HmacSha256;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * The key by which tasks know the servers of a cluster that admit jobs. It follows from the cluster
 * secret, so that all of them have the same. Immutable, thread-safe; never shows its private half.
 */
public final class ServerKey {
  private final byte[] privateKey;
  private final byte[] publicKey;

  private ServerKey(byte[] privateKey) {
    this.privateKey = privateKey;
    this.publicKey = IntroductionBox.publicKey(privateKey);
  }

  /** The key of the cluster with this secret. */
  public static ServerKey of(byte[] clusterSecret) {
    byte[] label = "sailfish server key".getBytes(StandardCharsets.US_ASCII);
    return new ServerKey(HmacSha256.of(clusterSecret, label));
  }

  /** The public half, as tasks are told it: 64 hex digits. */
  public String publicText() {
    return HexFormat.of().formatHex(publicKey);
  }

  byte[] privateKey() {
    return privateKey;
  }

  byte[] publicKey() {
    return publicKey;
  }

  @Override
  public String toString() {
    return publicText();
  }
}
