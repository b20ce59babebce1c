package dev.sailfish.hadoop;

import dev.sailfish.ground.wire.token.DelegationToken;
import java.io.ByteArrayInputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.DataOutput;
import java.io.EOFException;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.security.token.TokenIdentifier;

/**
 * What is in a delegation token of the metaserver. Not registered with Hadoop, whose tasks would
 * load it each time they log what tokens they have, those of other shuffles too; so Hadoop's logs
 * show the token's kind and service, and the metaserver's log whose it is.
 */
public final class SailfishTokenIdentifier extends TokenIdentifier {
  /**
   * How Hadoop tells these tokens from others, as a constant, so that tasks load no class for it.
   */
  static final String KIND_NAME = "SAILFISH_DELEGATION_TOKEN";

  /** How Hadoop tells these tokens from others. */
  public static final Text KIND = new Text(KIND_NAME);

  private DelegationToken token;

  /** One that is to be read with {@link #readFields}. */
  SailfishTokenIdentifier() {}

  /**
   * Reads a token's.
   *
   * @throws IOException when it is no token of the metaserver
   */
  static SailfishTokenIdentifier of(Token<?> of) throws IOException {
    if (!KIND.equals(of.getKind())) {
      throw new IOException("token is none of the metaserver's: kind=" + of.getKind());
    }
    SailfishTokenIdentifier identifier = new SailfishTokenIdentifier();
    identifier.readFields(new DataInputStream(new ByteArrayInputStream(of.getIdentifier())));
    return identifier;
  }

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
    if (token.realUser().isEmpty()) {
      return UserGroupInformation.createRemoteUser(token.owner());
    }
    return UserGroupInformation.createProxyUser(
        token.owner(), UserGroupInformation.createRemoteUser(token.realUser()));
  }

  /** From when on the token is worth nothing, in milliseconds since 1970. */
  long expiresMs() {
    return token.expiresMs();
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
    if (token == null) {
      return KIND.toString();
    }
    return KIND
        + " owner="
        + token.owner()
        + (token.realUser().isEmpty() ? "" : " realUser=" + token.realUser())
        + " renewer="
        + token.renewer()
        + " issued="
        + Instant.ofEpochMilli(token.issuedMs())
        + " expires="
        + Instant.ofEpochMilli(token.expiresMs());
  }
}
