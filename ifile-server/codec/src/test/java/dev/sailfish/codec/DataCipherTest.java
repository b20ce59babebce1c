package dev.sailfish.codec;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

@Seeded
class DataCipherTest {
  private static final int OVERHEAD = BlockHeader.ENCRYPTION_OVERHEAD;
  private static final int LONGEST = 300_000;
  private static final int PAD = 7;

  private static final String BLOCK_OF_ANOTHER =
      "6465666768696a6b6c6d6e6f7071727300000000000000072f6bc05c26da243f"
          + "ca1511a99107391fd843a4c797fb6036b77cf0d83c3eac74bb8bd53d2418";
  private static final String INDEX_OF_ANOTHER =
      "6465666768696a6b6c6d6e6f707172730000000000000008852eec49fef80fdb"
          + "e75bb0511cf9860e6d321f2a";

  private final BlockHeader block =
      new BlockHeader(
          CodecId.LZ4, BlockHeader.FLAG_ENCRYPTED, 1, 2, 3, 4, 5, 600, 640, 0x1234_5678);
  private byte[] key;

  private static byte[] key(SplittableRandom random) {
    return TestBytes.random(random, DataCipher.KEY_LENGTH);
  }

  private static ByteBuffer buffer(SplittableRandom random, int length) {
    return random.nextInt(2) == 0 ? ByteBuffer.allocate(length) : ByteBuffer.allocateDirect(length);
  }

  private static byte[] bytes(ByteBuffer buffer, int offset, int length) {
    byte[] bytes = new byte[length];
    buffer.get(offset, bytes);
    return bytes;
  }

  private byte[] encrypted(DataCipher cipher, byte[] plain) {
    ByteBuffer out = ByteBuffer.allocate(plain.length + OVERHEAD);
    cipher.ofBlock(block).encrypt(ByteBuffer.wrap(plain), 0, plain.length, out, 0);
    return out.array();
  }

  private static void assertNotDecrypted(DataCipher ready, byte[] encrypted) {
    ByteBuffer out = ByteBuffer.allocate(encrypted.length);
    assertThatThrownBy(() -> ready.decrypt(ByteBuffer.wrap(encrypted), 0, encrypted.length, out, 0))
        .isInstanceOf(CorruptFormatException.class)
        .hasMessageContaining("cannot be decrypted");
  }

  @Test
  void givesBackWhatItWasGiven(SplittableRandom random) throws CorruptFormatException {
    key = key(random);
    DataCipher writer = new DataCipher(key);
    DataCipher reader = new DataCipher(key);
    for (int i = 0; i < 200; i++) {
      byte[] plain = TestBytes.random(random, TestBytes.skewedLength(random, LONGEST));
      int offset = random.nextInt(PAD);
      ByteBuffer in = buffer(random, offset + plain.length);
      in.put(offset, plain);
      ByteBuffer out = buffer(random, offset + plain.length + OVERHEAD + PAD);
      int length = writer.ofBlock(block, i, 2 * i).encrypt(in, offset, plain.length, out, offset);
      assertThat(length).isEqualTo(plain.length + OVERHEAD);
      ByteBuffer back = buffer(random, offset + plain.length);
      // Position and limit of the buffers do not matter.
      out.limit(0);
      assertThat(reader.ofBlock(block, i, 2 * i).decrypt(out, offset, length, back, offset))
          .isEqualTo(plain.length);
      assertThat(bytes(back, offset, plain.length)).isEqualTo(plain);
      assertThat(bytes(out.clear(), offset + length, PAD)).containsOnly(0);
    }
  }

  /** Far enough that the short steps are over and decrypting has been rehearsed. */
  @Test
  void goesOnAfterMegabytes(SplittableRandom random) throws CorruptFormatException {
    key = key(random);
    DataCipher cipher = new DataCipher(key);
    Set<String> nonces = new HashSet<>();
    int pieces = 30;
    byte[] encrypted = new byte[0];
    for (int i = 0; i < pieces; i++) {
      byte[] plain = TestBytes.random(random, LONGEST - random.nextInt(PAD));
      encrypted = encrypted(cipher, plain);
      nonces.add(Arrays.toString(Arrays.copyOf(encrypted, 24)));
      ByteBuffer back = ByteBuffer.allocate(plain.length);
      cipher.decrypt(ByteBuffer.wrap(encrypted), 0, encrypted.length, back, 0);
      assertThat(back.array()).isEqualTo(plain);
    }
    assertThat(nonces).hasSize(pieces);
    encrypted[random.nextInt(encrypted.length)] ^= 1;
    assertNotDecrypted(cipher.ofBlock(block), encrypted);
  }

  /** The bytes are those of docs/FORMAT.md, as another implementation has written them. */
  @Test
  void readsWhatAnotherImplementationWrote() throws CorruptFormatException {
    key = new byte[DataCipher.KEY_LENGTH];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) i;
    }
    DataCipher reader = new DataCipher(key);
    byte[] written = HexFormat.of().parseHex(BLOCK_OF_ANOTHER);
    ByteBuffer out = ByteBuffer.allocate(written.length - OVERHEAD);
    reader
        .ofBlock(block, 0x1122_3344_5566_7788L, 128)
        .decrypt(ByteBuffer.wrap(written), 0, written.length, out, 0);
    assertThat(out.array()).asString(US_ASCII).isEqualTo("the records of a block");
    written = HexFormat.of().parseHex(INDEX_OF_ANOTHER);
    out = ByteBuffer.allocate(written.length - OVERHEAD);
    reader
        .ofIndex(9, 0x1122_3344_5566_7788L, 4000)
        .decrypt(ByteBuffer.wrap(written), 0, written.length, out, 0);
    assertThat(out.array()).asString(US_ASCII).isEqualTo("keys");
  }

  @Test
  void neverEncryptsTwiceInTheSameWay(SplittableRandom random) {
    key = key(random);
    byte[] plain = new byte[32];
    Set<String> nonces = new HashSet<>();
    Set<String> streams = new HashSet<>();
    int writers = 20;
    int blocks = 50;
    for (int writer = 0; writer < writers; writer++) {
      DataCipher cipher = new DataCipher(key);
      for (int i = 0; i < blocks; i++) {
        ByteBuffer out = ByteBuffer.wrap(encrypted(cipher, plain));
        nonces.add(Arrays.toString(bytes(out, 0, 24)));
        // Zeros encrypted are the stream itself.
        streams.add(Arrays.toString(bytes(out, 24, plain.length)));
      }
    }
    assertThat(nonces).hasSize(writers * blocks);
    assertThat(streams).hasSize(writers * blocks);
  }

  @Test
  void noticesEveryChangedBit(SplittableRandom random) {
    key = key(random);
    byte[] good = encrypted(new DataCipher(key), TestBytes.random(random, 20));
    for (int bit = 0; bit < good.length * Byte.SIZE; bit++) {
      byte[] bad = good.clone();
      bad[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
      assertNotDecrypted(new DataCipher(key).ofBlock(block), bad);
    }
  }

  @Test
  void noticesAnotherKey(SplittableRandom random) {
    key = key(random);
    byte[] good = encrypted(new DataCipher(key), TestBytes.random(random, 20));
    assertNotDecrypted(new DataCipher(key(random)).ofBlock(block), good);
  }

  @Test
  void noticesABlockThatIsTakenForAnotherOne(SplittableRandom random)
      throws CorruptFormatException {
    key = key(random);
    byte[] good = encrypted(new DataCipher(key), TestBytes.random(random, 20));
    DataCipher reader = new DataCipher(key);
    int flags = BlockHeader.FLAG_ENCRYPTED;
    BlockHeader[] others = {
      new BlockHeader(CodecId.NONE, flags, 1, 2, 3, 4, 5, 600, 640, 0),
      new BlockHeader(CodecId.LZ4, flags | BlockHeader.FLAG_SORTED, 1, 2, 3, 4, 5, 600, 640, 0),
      new BlockHeader(CodecId.LZ4, flags, 9, 2, 3, 4, 5, 600, 640, 0),
      new BlockHeader(CodecId.LZ4, flags, 1, 9, 3, 4, 5, 600, 640, 0),
      new BlockHeader(CodecId.LZ4, flags, 1, 2, 9, 4, 5, 600, 640, 0),
      new BlockHeader(CodecId.LZ4, flags, 1, 2, 3, 9, 5, 600, 640, 0),
      new BlockHeader(CodecId.LZ4, flags, 1, 2, 3, 4, 9, 600, 640, 0),
      new BlockHeader(CodecId.LZ4, flags, 1, 2, 3, 4, 5, 601, 640, 0),
    };
    for (BlockHeader other : others) {
      assertNotDecrypted(reader.ofBlock(other), good);
    }
    assertNotDecrypted(reader.ofBlock(block, 1, 0), good);
    assertNotDecrypted(reader.ofBlock(block, 0, 1), good);
    assertNotDecrypted(reader.ofIndex(1, 0, 0), good);
    ByteBuffer out = ByteBuffer.allocate(good.length);
    assertThat(
            reader
                .ofBlock(block.withStored(1, 2))
                .decrypt(ByteBuffer.wrap(good), 0, good.length, out, 0))
        .isEqualTo(20);
  }

  @Test
  void noticesMissingBytes(SplittableRandom random) {
    key = key(random);
    byte[] good = encrypted(new DataCipher(key), TestBytes.random(random, 20));
    DataCipher reader = new DataCipher(key);
    for (int length = 0; length < good.length; length++) {
      int cut = length;
      assertThatThrownBy(
              () ->
                  reader
                      .ofBlock(block)
                      .decrypt(ByteBuffer.wrap(good), 0, cut, ByteBuffer.allocate(20), 0))
          .isInstanceOf(CorruptFormatException.class);
    }
  }

  @Test
  void refusesAKeyOfAnotherLength() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new DataCipher(new byte[16]))
        .withMessageContaining("length=16 instead of 32");
  }
}
