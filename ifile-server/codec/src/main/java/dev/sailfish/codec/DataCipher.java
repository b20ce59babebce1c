package dev.sailfish.codec;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.CorruptFormatException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Objects;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Encrypts and decrypts what a job's data rests as: the stored bytes of blocks, and the keys in the
 * index of a chunk. AES-256 in Galois counter mode; {@code docs/FORMAT.md} has the bytes.
 *
 * <pre>
 *    0            16        24                          24 + length      40 + length
 *   +------------+---------+---------------------------+----------------+
 *   | salt       | counter | encrypted bytes           | tag            |
 *   +------------+---------+---------------------------+----------------+
 *   AES key = HMAC-SHA256(data key, "sailfish-block-key" | salt)
 *   initial vector = 0 (4 bytes) | counter
 * </pre>
 *
 * <p>The salt is random and new with each object of this class, and the counter goes up with each
 * piece that it encrypts, so that no two pieces of a job ever have the same key and vector,
 * whichever attempt encrypted them, and however often: not a block that is made again, nor a chunk
 * that is sorted again after a restart.
 *
 * <p>The tag covers also what the piece is: {@link #ofBlock}, {@link #ofIndex}. So a piece that was
 * changed, or put in the place of another one, cannot be decrypted.
 *
 * <p>Byte buffers may be direct, or heap buffers with an accessible array; positions are absolute,
 * and a buffer's own position and limit are neither used nor changed. Input and output must not
 * share memory.
 *
 * <p>The platform's ciphers use the processor's instructions only where they are compiled, which
 * takes thousands of calls, however many bytes each has; with whole blocks a task would be over
 * before that, at a few percent of the speed. So bytes are encrypted in steps, short ones at first.
 * For decrypting steps are of no use, because the platform decrypts nothing before it has seen the
 * tag: a cipher that has decrypted {@value #REHEARSED_AFTER} bytes on the heap decrypts a short
 * piece of its own {@value #REHEARSALS} times.
 *
 * <p>Not thread-safe. Only loaded in processes that encrypt: finding the platform's ciphers takes
 * long.
 */
public final class DataCipher {
  /** Length of a job's data key, in bytes. */
  public static final int KEY_LENGTH = 32;

  private static final String TRANSFORMATION = "AES/GCM/NoPadding";
  private static final String MAC = "HmacSHA256";
  private static final byte[] LABEL = "sailfish-block-key".getBytes(StandardCharsets.US_ASCII);
  private static final int SALT_LENGTH = 16;
  private static final int NONCE_LENGTH = SALT_LENGTH + Long.BYTES;
  private static final int TAG_LENGTH = 16;
  private static final int VECTOR_LENGTH = 12;
  private static final int CONTEXT_LENGTH = 8 * Integer.BYTES + 2 * Long.BYTES;
  private static final int BLOCK = 1;
  private static final int INDEX = 2;
  private static final int STEP = 1 << 10;
  private static final int SHORT_STEP = 1 << 6;
  private static final int SHORT_STEPS = 6_000;
  private static final int REHEARSED_AFTER = 4 << 20;
  private static final int REHEARSALS = 6_000;
  private static final int REHEARSED_LENGTH = 101;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Cipher cipher;
  private final Mac mac;
  private final byte[] salt = new byte[SALT_LENGTH];
  private final SecretKeySpec ownKey;
  private final byte[] vector = new byte[VECTOR_LENGTH];
  private final byte[] context = new byte[CONTEXT_LENGTH];
  private long counter;
  private final byte[] plainStep = new byte[STEP];
  private final byte[] encryptedStep = new byte[STEP + 2 * TAG_LENGTH];
  private int shortSteps;
  private int decryptedBefore;

  // The key that was needed last for decrypting: mostly many pieces have the same one.
  private final byte[] foundSalt = new byte[SALT_LENGTH];
  private final byte[] lastSalt = new byte[SALT_LENGTH];
  private SecretKeySpec lastKey;

  /**
   * A cipher with a salt of its own.
   *
   * @param dataKey the job's, {@link #KEY_LENGTH} bytes; not referred to after this
   */
  public DataCipher(byte[] dataKey) {
    if (dataKey.length != KEY_LENGTH) {
      throw new IllegalArgumentException(
          "data key has length=" + dataKey.length + " instead of " + KEY_LENGTH);
    }
    try {
      cipher = Cipher.getInstance(TRANSFORMATION);
      mac = Mac.getInstance(MAC);
      mac.init(new SecretKeySpec(dataKey, MAC));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has " + TRANSFORMATION, e);
    }
    RANDOM.nextBytes(salt);
    ownKey = derived(salt);
  }

  private SecretKeySpec derived(byte[] from) {
    mac.update(LABEL);
    return new SecretKeySpec(mac.doFinal(from), "AES");
  }

  /**
   * What comes next is the stored bytes of a block that is found by what its header says: one that
   * is appended. Length and checksum of the stored bytes do not matter.
   */
  public DataCipher ofBlock(BlockHeader block) {
    return ofBlock(block, 0, 0);
  }

  /**
   * What comes next is the stored bytes of a block that is found by its place: a sorted one.
   *
   * @param chunk id of the chunk, or 0 when it is in none
   * @param offset of the block in the chunk or file
   */
  public DataCipher ofBlock(BlockHeader block, long chunk, long offset) {
    ByteBuffer.wrap(context)
        .put((byte) BLOCK)
        .put((byte) block.codec().code())
        .putShort((short) block.flags())
        .putInt(block.partition())
        .putInt(block.map())
        .putInt(block.attempt())
        .putInt(block.sequence())
        .putInt(block.records())
        .putInt(block.rawLength())
        .putInt(0)
        .putLong(chunk)
        .putLong(offset);
    return this;
  }

  /**
   * What comes next is the keys in the index of a chunk.
   *
   * @param offset of the chunk's tail
   */
  public DataCipher ofIndex(int partition, long chunk, long offset) {
    Arrays.fill(context, (byte) 0);
    ByteBuffer.wrap(context)
        .put(0, (byte) INDEX)
        .putInt(Integer.BYTES, partition)
        .putLong(CONTEXT_LENGTH - 2 * Long.BYTES, chunk)
        .putLong(CONTEXT_LENGTH - Long.BYTES, offset);
    return this;
  }

  /**
   * Encrypts {@code inLength} bytes.
   *
   * @param out must have room for {@link BlockHeader#ENCRYPTION_OVERHEAD} bytes more
   * @return how many bytes were written
   */
  public int encrypt(ByteBuffer in, int inOffset, int inLength, ByteBuffer out, int outOffset) {
    Objects.checkFromIndexSize(inOffset, inLength, in.capacity());
    int length = Math.addExact(inLength, BlockHeader.ENCRYPTION_OVERHEAD);
    Objects.checkFromIndexSize(outOffset, length, out.capacity());
    long number = counter++;
    ByteBuffer from = range(in, inOffset, inLength);
    ByteBuffer to = range(out, outOffset, length).put(salt).putLong(number);
    try {
      start(Cipher.ENCRYPT_MODE, ownKey, number);
      encryptInSteps(from, to);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("cannot encrypt length=" + inLength, e);
    }
    return length;
  }

  /**
   * Decrypts {@code inLength} bytes to {@link BlockHeader#ENCRYPTION_OVERHEAD} bytes fewer. After
   * an error the content of the output is undefined, and none of it is to be used.
   *
   * @return how many bytes were written
   * @throws CorruptFormatException when they were not encrypted with this key as what they are
   *     taken for, or have been changed
   */
  public int decrypt(ByteBuffer in, int inOffset, int inLength, ByteBuffer out, int outOffset)
      throws CorruptFormatException {
    Objects.checkFromIndexSize(inOffset, inLength, in.capacity());
    int length = inLength - BlockHeader.ENCRYPTION_OVERHEAD;
    if (length < 0) {
      throw new CorruptFormatException("encrypted bytes are too few: length=" + inLength);
    }
    Objects.checkFromIndexSize(outOffset, length, out.capacity());
    ByteBuffer nonce = range(in, inOffset, NONCE_LENGTH);
    nonce.get(foundSalt);
    if (lastKey == null || !Arrays.equals(foundSalt, lastSalt)) {
      System.arraycopy(foundSalt, 0, lastSalt, 0, SALT_LENGTH);
      lastKey = derived(lastSalt);
    }
    try {
      ByteBuffer from = range(in, inOffset + NONCE_LENGTH, length + TAG_LENGTH);
      decrypt(lastKey, nonce.getLong(), from, range(out, outOffset, length));
    } catch (GeneralSecurityException e) {
      CorruptFormatException corrupt =
          new CorruptFormatException(
              "encrypted bytes cannot be decrypted: length="
                  + inLength
                  + "; the key is another job's, or they were changed or moved");
      corrupt.initCause(e);
      throw corrupt;
    }
    return length;
  }

  private void encryptInSteps(ByteBuffer from, ByteBuffer to) throws GeneralSecurityException {
    int step = nextStep();
    while (from.remaining() > step) {
      from.get(plainStep, 0, step);
      to.put(encryptedStep, 0, cipher.update(plainStep, 0, step, encryptedStep, 0));
      step = nextStep();
    }
    int last = from.remaining();
    from.get(plainStep, 0, last);
    to.put(encryptedStep, 0, cipher.doFinal(plainStep, 0, last, encryptedStep, 0));
  }

  private int nextStep() {
    if (shortSteps == SHORT_STEPS) {
      return STEP;
    }
    shortSteps++;
    return SHORT_STEP;
  }

  private void decrypt(SecretKeySpec key, long number, ByteBuffer from, ByteBuffer to)
      throws GeneralSecurityException {
    boolean onHeap = from.hasArray() && to.hasArray();
    if (onHeap && decryptedBefore < REHEARSED_AFTER) {
      decryptedBefore += from.remaining();
      if (decryptedBefore >= REHEARSED_AFTER) {
        rehearse();
      }
    }
    start(Cipher.DECRYPT_MODE, key, number);
    if (onHeap) {
      int fromOffset = from.arrayOffset() + from.position();
      int toOffset = to.arrayOffset() + to.position();
      cipher.doFinal(from.array(), fromOffset, from.remaining(), to.array(), toOffset);
    } else {
      cipher.doFinal(from, to);
    }
  }

  /** Has the platform compile what decrypts: a piece that nobody else sees, again and again. */
  private void rehearse() throws GeneralSecurityException {
    byte[] plain = new byte[REHEARSED_LENGTH];
    long number = counter++;
    start(Cipher.ENCRYPT_MODE, ownKey, number);
    byte[] piece = cipher.doFinal(plain);
    start(Cipher.DECRYPT_MODE, ownKey, number);
    for (int i = 0; i < REHEARSALS; i++) {
      cipher.doFinal(piece, 0, piece.length, plain, 0);
      cipher.updateAAD(context);
    }
  }

  private void start(int mode, SecretKeySpec key, long number) throws GeneralSecurityException {
    ByteBuffer.wrap(vector).putLong(VECTOR_LENGTH - Long.BYTES, number);
    cipher.init(mode, key, new GCMParameterSpec(Byte.SIZE * TAG_LENGTH, vector));
    cipher.updateAAD(context);
  }

  private static ByteBuffer range(ByteBuffer buffer, int offset, int length) {
    return buffer.duplicate().clear().limit(offset + length).position(offset);
  }
}
