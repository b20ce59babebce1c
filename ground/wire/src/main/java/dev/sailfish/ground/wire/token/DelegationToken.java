package dev.sailfish.ground.wire.token;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * The part of a delegation token that is no secret: on whose behalf its bearer acts, and how long.
 * Its bytes are the <em>identifier</em>; the secret part, the password, follows from them ({@link
 * DelegationKey}), so that no server keeps a list of tokens.
 *
 * <pre>
 *   0      2     3     4           8                16               24              32
 *   +------+-----+-----+-----------+----------------+----------------+---------------+
 *   | "SD" | ver | 0   | key id    | issued, ms     | expires, ms    | id            |
 *   +------+-----+-----+-----------+----------------+----------------+---------------+
 *   32      33            33+n      34+n               34+n+m
 *   +-------+-------------+---------+------------------+---------+-------------------+
 *   | n     | owner       | m       | renewer          | k       | real user         |
 *   +-------+-------------+---------+------------------+---------+-------------------+
 * </pre>
 *
 * <p>Big endian; times are milliseconds since 1970 by the clock of the server that issued the
 * token; lengths are unsigned bytes, names UTF-8. Nothing follows the real user.
 *
 * @param owner on whose behalf the bearer acts, a short name, never empty
 * @param renewer who was named to renew the token; there is nothing to renew, so it is only kept
 * @param realUser who asked for the token when that was not the owner, else empty
 * @param issuedMs when it was issued
 * @param expiresMs from when on it is worth nothing
 * @param id random, so that no two tokens are the same
 * @param keyId which cluster secret the password follows from, see {@link DelegationKey#id}
 */
public record DelegationToken(
    String owner,
    String renewer,
    String realUser,
    long issuedMs,
    long expiresMs,
    long id,
    int keyId) {
  /** Longest name, in bytes of UTF-8. */
  public static final int MAX_NAME_LENGTH = 255;

  private static final short MAGIC = 0x5344;
  private static final byte VERSION = 1;
  private static final int KEY_ID = 4;
  private static final int ISSUED = 8;
  private static final int EXPIRES = 16;
  private static final int ID = 24;
  private static final int NAMES = 32;

  /** Longest identifier, in bytes. */
  public static final int MAX_LENGTH = NAMES + 3 * (1 + MAX_NAME_LENGTH);

  /** Shortest identifier, in bytes: an owner of one letter, nobody else. */
  private static final int MIN_LENGTH = NAMES + 3 + 1;

  /** Refuses a token of nobody, names that are too long, and times that make no sense. */
  public DelegationToken {
    if (owner.isEmpty()) {
      throw new IllegalArgumentException("a delegation token has an owner");
    }
    requireName(owner);
    requireName(renewer);
    requireName(realUser);
    if (issuedMs < 0 || expiresMs < issuedMs) {
      throw new IllegalArgumentException(
          "a delegation token cannot expire before it is issued: issued="
              + issuedMs
              + " expires="
              + expiresMs);
    }
  }

  private static void requireName(String name) {
    int length = bytes(name).length;
    if (length > MAX_NAME_LENGTH) {
      throw new IllegalArgumentException(
          "name in a delegation token is too long: bytes=" + length + " limit=" + MAX_NAME_LENGTH);
    }
    for (int i = 0; i < name.length(); i++) {
      if (Character.isISOControl(name.charAt(i))) {
        throw new IllegalArgumentException(
            "name in a delegation token has a control character: index=" + i);
      }
    }
  }

  private static byte[] bytes(String name) {
    return name.getBytes(StandardCharsets.UTF_8);
  }

  /** The identifier: the bytes drawn above. */
  public byte[] identifier() {
    byte[][] names = {bytes(owner), bytes(renewer), bytes(realUser)};
    int length = NAMES;
    for (byte[] name : names) {
      length += 1 + name.length;
    }
    ByteBuffer identifier = ByteBuffer.allocate(length);
    identifier.putShort(MAGIC).put(VERSION).put((byte) 0).putInt(keyId);
    identifier.putLong(issuedMs).putLong(expiresMs).putLong(id);
    for (byte[] name : names) {
      identifier.put((byte) name.length).put(name);
    }
    return identifier.array();
  }

  /**
   * Reads an identifier. That it can be read says nothing of who made it.
   *
   * @throws IOException when these bytes are no identifier of this version, with what is wrong
   */
  public static DelegationToken of(byte[] identifier) throws IOException {
    if (identifier.length < MIN_LENGTH || identifier.length > MAX_LENGTH) {
      throw bad("length=" + identifier.length + " is not in " + MIN_LENGTH + ".." + MAX_LENGTH);
    }
    ByteBuffer bytes = ByteBuffer.wrap(identifier);
    if (bytes.getShort(0) != MAGIC || bytes.getShort(2) != VERSION << 8) {
      throw bad("it does not begin as one of version=" + VERSION);
    }
    bytes.position(NAMES);
    String owner = name(bytes);
    String renewer = name(bytes);
    String realUser = name(bytes);
    if (bytes.hasRemaining()) {
      throw bad("bytes behind its end=" + bytes.remaining());
    }
    try {
      return new DelegationToken(
          owner,
          renewer,
          realUser,
          bytes.getLong(ISSUED),
          bytes.getLong(EXPIRES),
          bytes.getLong(ID),
          bytes.getInt(KEY_ID));
    } catch (IllegalArgumentException e) {
      throw bad(e.getMessage());
    }
  }

  private static String name(ByteBuffer bytes) throws IOException {
    if (!bytes.hasRemaining()) {
      throw bad("a name is missing");
    }
    int length = Byte.toUnsignedInt(bytes.get());
    if (length > bytes.remaining()) {
      throw bad("a name of length=" + length + " is cut off");
    }
    ByteBuffer encoded = bytes.slice(bytes.position(), length);
    bytes.position(bytes.position() + length);
    try {
      CharBuffer name =
          StandardCharsets.UTF_8
              .newDecoder()
              .onMalformedInput(CodingErrorAction.REPORT)
              .onUnmappableCharacter(CodingErrorAction.REPORT)
              .decode(encoded);
      return name.toString();
    } catch (CharacterCodingException e) {
      throw bad("a name is no UTF-8");
    }
  }

  private static IOException bad(String what) {
    return new IOException("no identifier of a delegation token: " + what);
  }
}
