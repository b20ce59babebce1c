package dev.sailfish.ground.wire.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class DelegationKeyTest {
  private static final byte[] SECRET = bytes("0123456789abcdef0123456789abcdef");
  private static final String JOB = "job_1_0001";
  private static final byte[] TASK_KEY = new byte[32];
  private static final Duration LIFETIME = Duration.ofDays(7);
  private static final long NOW = 1_800_000_000_000L;

  private final DelegationKey key = new DelegationKey(SECRET, LIFETIME);
  private final byte[] identifier = key.issue("alice", "rm", "", NOW).identifier();
  private final byte[] proof = proof(key.password(identifier));

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] proof(byte[] password) {
    return DelegationKey.proof(password, JOB, TASK_KEY);
  }

  private static DelegationToken check(DelegationKey key, byte[] identifier, byte[] proof, long now)
      throws IOException {
    return key.check(identifier, proof, JOB, TASK_KEY, now);
  }

  @Test
  void whoBearsATokenShouldBeItsOwner() throws IOException {
    DelegationToken token = check(key, identifier, proof, NOW + 1000);
    assertThat(token.owner()).isEqualTo("alice");
    assertThat(token.renewer()).isEqualTo("rm");
    assertThat(token.expiresMs() - token.issuedMs()).isEqualTo(LIFETIME.toMillis());
  }

  @Test
  void anotherMetaserverOfTheClusterShouldTakeIt() throws IOException {
    DelegationKey other = new DelegationKey(SECRET, LIFETIME);
    assertThat(check(other, identifier, proof, NOW).owner()).isEqualTo("alice");
  }

  @Test
  void tokensShouldAllBeDifferent() {
    assertThat(key.issue("alice", "rm", "", NOW).identifier()).isNotEqualTo(identifier);
  }

  @Test
  void aMadeUpTokenShouldBeRefused() {
    byte[] root = new DelegationToken("root", "rm", "", NOW, NOW + 1000, 1, key.id()).identifier();
    assertThatIOException()
        .isThrownBy(() -> check(key, root, proof, NOW))
        .withMessageContaining("'root' was changed or made up");
    assertThatIOException()
        .isThrownBy(() -> check(key, root, proof(new byte[32]), NOW))
        .withMessageContaining("made up");
    assertThatIOException().isThrownBy(() -> check(key, root, new byte[0], NOW));
  }

  @Test
  void aChangedTokenShouldBeRefused() {
    for (int i = 0; i < identifier.length; i++) {
      byte[] changed = identifier.clone();
      changed[i] ^= 1;
      assertThatIOException().as("byte %d", i).isThrownBy(() -> check(key, changed, proof, NOW));
    }
  }

  @Test
  void anotherClustersTokenShouldBeRefused() {
    DelegationKey foreign = new DelegationKey(bytes("another secret of 32 bytes......"), LIFETIME);
    byte[] theirs = foreign.issue("alice", "rm", "", NOW).identifier();
    assertThatIOException()
        .isThrownBy(() -> check(key, theirs, proof(foreign.password(theirs)), NOW))
        .withMessageContaining("another cluster's secret");
    // Nor when it claims to be of this cluster.
    byte[] claims = new DelegationToken("alice", "", "", NOW, NOW + 1, 1, key.id()).identifier();
    assertThatIOException()
        .isThrownBy(() -> check(key, claims, proof(foreign.password(claims)), NOW))
        .withMessageContaining("made up");
  }

  @Test
  void aProofShouldBeGoodForOneJobAndKeyOnly() {
    byte[] password = key.password(identifier);
    byte[] otherKey = new byte[32];
    otherKey[31] = 1;
    for (byte[] other :
        List.of(
            DelegationKey.proof(password, "job_1_0002", TASK_KEY),
            DelegationKey.proof(password, JOB, otherKey))) {
      assertThatIOException()
          .isThrownBy(() -> check(key, identifier, other, NOW))
          .withMessageContaining("proof of its password is wrong");
    }
  }

  @Test
  void anExpiredTokenShouldBeRefused() throws IOException {
    long last = NOW + LIFETIME.toMillis() - 1;
    assertThat(check(key, identifier, proof, last).owner()).isEqualTo("alice");
    assertThatIOException()
        .isThrownBy(() -> check(key, identifier, proof, last + 1))
        .withMessageContaining("'alice' has expired at 2027-01-22T08:00:00Z");
  }

  @Test
  void aShorterLifetimeShouldHoldForTokensThatAreThere() {
    DelegationKey shorter = new DelegationKey(SECRET, Duration.ofHours(1));
    long later = NOW + Duration.ofHours(1).toMillis();
    assertThatIOException()
        .isThrownBy(() -> check(shorter, identifier, proof, later))
        .withMessageContaining("expired");
  }
}
