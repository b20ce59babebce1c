package dev.sailfish.lineage.hadoop;

import dev.sailfish.ground.wire.token.DelegationToken;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.EOFException;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.TokenIdentifier;

/**
 * What is in a delegation token of the store. Registered with Hadoop in this module's jar, so that
 * Hadoop's logs show whose a token is; not in the client jar, with which every task would load it.
 */
public final class StoreTokenIdentifier extends TokenIdentifier {
  /** How Hadoop tells these tokens from others. */
  public static final Text KIND = new Text("SAILFISH_STORE_TOKEN");

  private DelegationToken token;

  /** One that is to be read with {@link #readFields}. */
  public StoreTokenIdentifier() {}

  @Override
  public Text getKind() {
    return KIND;
  }

  /** Whose token it is; null before it was read. */
  @Override
  public UserGroupInformation getUser() {
    if (token == null) {
      return null;
    }
    return token.realUser().isEmpty()
        ? UserGroupInformation.createRemoteUser(token.owner())
        : UserGroupInformation.createProxyUser(
            token.owner(), UserGroupInformation.createRemoteUser(token.realUser()));
  }

  @Override
  public void write(DataOutput out) throws IOException {
    out.write(token.identifier());
  }

  /** Reads to the end: a token's identifier is all that there is. */
  @Override
  public void readFields(DataInput in) throws IOException {
    byte[] identifier = new byte[DelegationToken.MAX_LENGTH + 1];
    int length = 0;
    try {
      while (length < identifier.length) {
        identifier[length] = in.readByte();
        length++;
      }
    } catch (EOFException e) {
      token = DelegationToken.of(Arrays.copyOf(identifier, length));
      return;
    }
    throw new IOException("identifier of a " + KIND + " is too long: limit=" + (length - 1));
  }

  @Override
  public String toString() {
    return token == null
        ? KIND.toString()
        : "%s owner=%s realUser=%s renewer=%s issued=%s expires=%s"
            .formatted(
                KIND,
                token.owner(),
                token.realUser(),
                token.renewer(),
                Instant.ofEpochMilli(token.issuedMs()),
                Instant.ofEpochMilli(token.expiresMs()));
  }
}
