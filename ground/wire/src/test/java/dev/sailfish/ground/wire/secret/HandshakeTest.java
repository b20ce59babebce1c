package dev.sailfish.ground.wire.secret;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class HandshakeTest {
  private static final byte[] KEY = {1, 2, 3};
  private static final byte[] OTHER_KEY = {1, 2, 4};

  @Test
  void everythingThatGoesIntoAProofChangesIt() {
    byte[] one = Handshake.nonce();
    byte[] two = Handshake.nonce();
    List<byte[]> proofs = new ArrayList<>();
    for (byte[] key : List.of(KEY, OTHER_KEY)) {
      for (String principal : List.of(Handshake.CLUSTER, "job a", "job b")) {
        proofs.add(Handshake.serverProof(key, principal, one, two));
        proofs.add(Handshake.clientProof(key, principal, one, two));
        proofs.add(Handshake.serverProof(key, principal, two, one));
        proofs.add(Handshake.clientProof(key, principal, two, one));
      }
    }
    assertThat(proofs).allMatch(proof -> proof.length == HmacSha256.LENGTH);
    assertThat(proofs.stream().map(Arrays::toString)).doesNotHaveDuplicates();
  }

  @Test
  void noncesAreNew() {
    assertThat(Handshake.nonce()).hasSize(Handshake.NONCE_LENGTH).isNotEqualTo(Handshake.nonce());
  }

  @Test
  void taskKeysAreOfTheSecretAndTheJob() {
    assertThat(Handshake.taskKey(KEY, "job_1"))
        .hasSize(HmacSha256.LENGTH)
        .isEqualTo(Handshake.taskKey(KEY, "job_1"))
        .isNotEqualTo(Handshake.taskKey(KEY, "job_2"))
        .isNotEqualTo(Handshake.taskKey(OTHER_KEY, "job_1"));
  }
}
