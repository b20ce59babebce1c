package dev.sailfish.protocol.client;

import com.google.protobuf.ByteString;
import dev.sailfish.ground.wire.Evidence;
import dev.sailfish.ground.wire.message.Introduction;
import dev.sailfish.ground.wire.message.TokenEvidence;
import dev.sailfish.ground.wire.token.DelegationKey;

/**
 * A delegation token of the metaserver that speaks for a job: it is admitted in the name of the
 * token's owner. Immutable; never shows the password, nor sends it.
 */
public final class DelegationEvidence implements Evidence {
  private final byte[] identifier;
  private final byte[] password;

  /**
   * @param identifier of the token, of any content: the metaserver checks it
   * @param password of the token
   */
  public DelegationEvidence(byte[] identifier, byte[] password) {
    this.identifier = identifier.clone();
    this.password = password.clone();
  }

  @Override
  public void addTo(String job, Introduction.Builder introduction) {
    byte[] proof = DelegationKey.proof(password, job, introduction.getTaskKey().toByteArray());
    introduction.setToken(
        TokenEvidence.newBuilder()
            .setIdentifier(ByteString.copyFrom(identifier))
            .setMac(ByteString.copyFrom(proof))
            .build()
            .toByteString());
  }

  @Override
  public String toString() {
    return "a delegation token";
  }
}
