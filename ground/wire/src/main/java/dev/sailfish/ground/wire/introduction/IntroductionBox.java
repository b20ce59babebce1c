package dev.sailfish.ground.wire.introduction;

import com.google.protobuf.ByteString;
import dev.sailfish.ground.wire.message.AuthenticateRequest;
import dev.sailfish.ground.wire.message.Introduction;
import dev.sailfish.ground.wire.secret.Handshake;
import dev.sailfish.ground.wire.secret.HmacSha256;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.spec.NamedParameterSpec;
import java.security.spec.XECPrivateKeySpec;
import java.security.spec.XECPublicKeySpec;
import java.util.Arrays;
import java.util.HexFormat;
import javax.crypto.Cipher;
import javax.crypto.KeyAgreement;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * What a task puts its job's key into. Its key is made by an X25519 agreement between a pair that
 * the task makes for this connection and the servers' pair:
 *
 * <pre>
 *   key = HMAC-SHA256(agreed secret, "sailfish introduction" | ephemeral public key |
 *                     server public key | principal | client nonce | server nonce)
 *   box = AES-256-GCM(key, nonce of 12 zero bytes, Introduction), 16 bytes of tag at the end
 * </pre>
 *
 * <p>Each key encrypts one box, so the nonce need not differ. Immutable.
 */
public final class IntroductionBox {
  /** The longest box that is opened, in bytes: a token is some hundred bytes long. */
  public static final int MAX_LENGTH = 16 << 10;

  private static final String LABEL = "sailfish introduction";
  private static final int TAG_BITS = 128;
  private static final int NONCE_BYTES = 12;
  private static final String X25519 = "X25519";

  /** Length of private and public keys and of what two sides agree on, in bytes. */
  private static final int KEY_LENGTH = 32;

  /** The base point of RFC 7748. */
  private static final byte[] BASE = Arrays.copyOf(new byte[] {9}, KEY_LENGTH);

  private final byte[] ephemeralKey;
  private final byte[] bytes;
  private final byte[] key;

  private IntroductionBox(byte[] ephemeralKey, byte[] bytes, byte[] key) {
    this.ephemeralKey = ephemeralKey;
    this.bytes = bytes;
    this.key = key;
  }

  /**
   * Makes a box.
   *
   * @param serverKey the servers' public key, 64 hex digits
   * @param principal as in HELLO
   * @param session both nonces of the connection, the client's first
   * @throws IllegalArgumentException when {@code serverKey} is no public key
   */
  public static IntroductionBox seal(
      String serverKey, String principal, byte[] session, Introduction introduction) {
    byte[] theirs = parsePublicKey(serverKey);
    byte[] privateKey = Handshake.random(KEY_LENGTH);
    byte[] ephemeral = publicKey(privateKey);
    try {
      byte[] key = key(agree(privateKey, theirs), ephemeral, theirs, principal, session);
      byte[] sealed = cipher(Cipher.ENCRYPT_MODE, key).doFinal(introduction.toByteArray());
      return new IntroductionBox(ephemeral, sealed, key);
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException("it is no public key of X25519: " + e.getMessage(), e);
    }
  }

  /** What a server found in a box, and the box's key, with which it answers. */
  public record Opened(Introduction introduction, byte[] key) {}

  /**
   * Opens a box.
   *
   * @throws IOException when it was made for another key, connection or principal, or changed
   */
  public static Opened open(
      ServerKey server, byte[] ephemeralKey, String principal, byte[] session, byte[] box)
      throws IOException {
    if (ephemeralKey.length != KEY_LENGTH || box.length > MAX_LENGTH) {
      throw new IOException("lengths are wrong: key=" + ephemeralKey.length + " box=" + box.length);
    }
    try {
      byte[] secret = agree(server.privateKey(), ephemeralKey);
      byte[] key = key(secret, ephemeralKey, server.publicKey(), principal, session);
      byte[] plain = cipher(Cipher.DECRYPT_MODE, key).doFinal(box);
      return new Opened(Introduction.parseFrom(plain), key);
    } catch (GeneralSecurityException e) {
      throw new IOException("it was not made for this key and connection", e);
    }
  }

  private static byte[] key(
      byte[] secret, byte[] ephemeral, byte[] server, String principal, byte[] session) {
    return HmacSha256.of(
        secret,
        LABEL.getBytes(StandardCharsets.US_ASCII),
        ephemeral,
        server,
        principal.getBytes(StandardCharsets.UTF_8),
        session);
  }

  private static Cipher cipher(int mode, byte[] key) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    GCMParameterSpec once = new GCMParameterSpec(TAG_BITS, new byte[NONCE_BYTES]);
    cipher.init(mode, new SecretKeySpec(key, "AES"), once);
    return cipher;
  }

  /** The public key of a private one, which is any 32 bytes. */
  static byte[] publicKey(byte[] privateKey) {
    try {
      return agree(privateKey, BASE);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java platform has no " + X25519, e);
    }
  }

  /**
   * What both sides of an agreement get.
   *
   * @throws GeneralSecurityException when the other side's key leads to a secret that everybody
   *     knows
   */
  private static byte[] agree(byte[] privateKey, byte[] theirs) throws GeneralSecurityException {
    KeyFactory keys = KeyFactory.getInstance(X25519);
    KeyAgreement agreement = KeyAgreement.getInstance(X25519);
    agreement.init(
        keys.generatePrivate(new XECPrivateKeySpec(NamedParameterSpec.X25519, privateKey)));
    agreement.doPhase(
        keys.generatePublic(new XECPublicKeySpec(NamedParameterSpec.X25519, number(theirs))), true);
    return agreement.generateSecret();
  }

  /** A public key is a number, its lowest byte first; the highest bit does not count. */
  private static BigInteger number(byte[] key) {
    byte[] highestFirst = new byte[KEY_LENGTH];
    for (int i = 0; i < KEY_LENGTH; i++) {
      highestFirst[i] = key[KEY_LENGTH - 1 - i];
    }
    highestFirst[0] &= 0x7f;
    return new BigInteger(1, highestFirst);
  }

  /**
   * A public half of its text.
   *
   * @throws IllegalArgumentException when it is none; the message does not say where it stood
   */
  private static byte[] parsePublicKey(String text) {
    byte[] key = HexFormat.of().parseHex(text);
    if (key.length != KEY_LENGTH) {
      throw new IllegalArgumentException(
          "it has " + text.length() + " digits instead of " + 2 * KEY_LENGTH);
    }
    return key;
  }

  /** What brings the box to a server. */
  public AuthenticateRequest request() {
    return AuthenticateRequest.newBuilder()
        .setEphemeralKey(ByteString.copyFrom(ephemeralKey))
        .setBox(ByteString.copyFrom(bytes))
        .build();
  }

  /** The public key that goes with the box; the caller does not change it. */
  public byte[] ephemeralKey() {
    return ephemeralKey;
  }

  /** The box as it goes over the wire; the caller does not change it. */
  public byte[] bytes() {
    return bytes;
  }

  /** With what the answer to it is sealed; the caller does not change it. */
  public byte[] key() {
    return key;
  }
}
