package dev.sailfish.ground.wire.introduction;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.spec.NamedParameterSpec;
import java.security.spec.XECPrivateKeySpec;
import java.security.spec.XECPublicKeySpec;
import java.util.HexFormat;
import javax.crypto.KeyAgreement;

/** The function X25519 of RFC 7748, as the JDK has it, on bytes. */
final class X25519 {
  /** Length of private and public keys and of what two sides agree on, in bytes. */
  static final int LENGTH = 32;

  private static final String NAME = "X25519";
  private static final byte[] BASE = new byte[LENGTH];

  static {
    BASE[0] = 9;
  }

  private X25519() {}

  /** The public key of a private one, which is any 32 bytes. */
  static byte[] publicKey(byte[] privateKey) {
    try {
      return agree(privateKey, BASE);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java platform has no " + NAME, e);
    }
  }

  /**
   * What both sides of an agreement get.
   *
   * @throws GeneralSecurityException when the other side's key leads to a secret that everybody
   *     knows
   */
  static byte[] agree(byte[] privateKey, byte[] theirs) throws GeneralSecurityException {
    KeyFactory keys = KeyFactory.getInstance(NAME);
    KeyAgreement agreement = KeyAgreement.getInstance(NAME);
    agreement.init(
        keys.generatePrivate(new XECPrivateKeySpec(NamedParameterSpec.X25519, privateKey)));
    agreement.doPhase(
        keys.generatePublic(new XECPublicKeySpec(NamedParameterSpec.X25519, number(theirs))), true);
    return agreement.generateSecret();
  }

  /** A public key is a number, its lowest byte first; the highest bit does not count. */
  private static BigInteger number(byte[] key) {
    byte[] highestFirst = new byte[LENGTH];
    for (int i = 0; i < LENGTH; i++) {
      highestFirst[i] = key[LENGTH - 1 - i];
    }
    highestFirst[0] &= 0x7f;
    return new BigInteger(1, highestFirst);
  }

  /**
   * A public half of its text.
   *
   * @throws IllegalArgumentException when it is none; the message does not say where it stood
   */
  static byte[] parse(String text) {
    byte[] key = HexFormat.of().parseHex(text);
    if (key.length != LENGTH) {
      throw new IllegalArgumentException(
          "it has " + text.length() + " digits instead of " + 2 * LENGTH);
    }
    return key;
  }
}
