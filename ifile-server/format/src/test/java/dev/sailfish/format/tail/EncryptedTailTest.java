package dev.sailfish.format.tail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The layout of what an encrypted chunk has besides its blocks; nothing is encrypted here. */
class EncryptedTailTest {
  private static final String[] KEYS = {"", "ant", "cat", "dog"};
  private static final int BLOCK_LENGTH = 100;

  private static ChunkTailWriter builder() {
    ChunkTailWriter builder = new ChunkTailWriter(Ordering.NORMALIZED, true);
    BlockHeader block = new BlockHeader(CodecId.NONE, 4, 3, 0, 0, 0, 6, 12, 52, 0);
    builder.addSource(block);
    int at = ChunkHeader.LENGTH;
    for (String key : KEYS) {
      byte[] bytes = key.getBytes(StandardCharsets.US_ASCII);
      builder.addEntry(0, at, block, bytes, bytes.length);
      at += BLOCK_LENGTH;
    }
    return builder;
  }

  /** As long as they would be; what is in them is nobody's business here. */
  private static byte[] encryptedKeys() {
    byte[] bytes = new byte[9 + BlockHeader.ENCRYPTION_OVERHEAD];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (3 * i + 1);
    }
    return bytes;
  }

  private static byte[] tail(byte[] encryptedKeys) {
    ChunkTailWriter builder = builder();
    int offset = ChunkHeader.LENGTH + KEYS.length * BLOCK_LENGTH;
    ByteBuffer chunk = ByteBuffer.allocate(offset + builder.length());
    assertThat(builder.write(chunk, offset, encryptedKeys)).isEqualTo(chunk.capacity());
    byte[] tail = new byte[chunk.capacity() - offset];
    chunk.get(offset, tail);
    return tail;
  }

  @Test
  void keysComeBackTogether() throws FormatException {
    assertThat(builder().keys()).asString(StandardCharsets.US_ASCII).isEqualTo("antcatdog");
    byte[] encrypted = encryptedKeys();
    byte[] bytes = tail(encrypted);
    ChunkTail tail = ChunkTail.parse(ByteBuffer.wrap(bytes), bytes.length);
    assertThat(tail.entries()).isEqualTo(KEYS.length);
    assertThat(tail.entryOffset(3)).isEqualTo(ChunkHeader.LENGTH + 3 * BLOCK_LENGTH);
    assertThat(tail.keysEncrypted()).isTrue();
    assertThat(tail.encryptedKeys()).isEqualTo(encrypted);
    assertThatIllegalStateException().isThrownBy(() -> tail.entryKey(0));
    assertThatIllegalStateException().isThrownBy(() -> tail.compareEntryKey(0, new byte[0]));
    assertThatIllegalArgumentException().isThrownBy(() -> tail.withKeys(new byte[8]));
    ChunkTail plain = tail.withKeys("antcatdog".getBytes(StandardCharsets.US_ASCII));
    for (int entry = 0; entry < KEYS.length; entry++) {
      assertThat(plain.entryKey(entry)).asString(StandardCharsets.US_ASCII).isEqualTo(KEYS[entry]);
    }
    byte[] cow = "cow".getBytes(StandardCharsets.US_ASCII);
    assertThat(plain.firstEntry(0, cow)).isEqualTo(2);
    assertThat(plain.endEntry(0, cow)).isEqualTo(3);
    assertThat(plain.records()).isEqualTo(tail.records());
  }

  @Test
  void damageIsAnError() {
    byte[] good = tail(encryptedKeys());
    for (int bit = 0; bit < good.length * Byte.SIZE; bit++) {
      byte[] bad = good.clone();
      bad[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
      assertThatThrownBy(() -> ChunkTail.parse(ByteBuffer.wrap(bad), bad.length))
          .isInstanceOf(FormatException.class);
    }
  }

  @Test
  void keysCannotBeForgotten() {
    ByteBuffer chunk = ByteBuffer.allocate(2000);
    assertThatIllegalStateException().isThrownBy(() -> builder().write(chunk, 600));
    assertThatIllegalStateException().isThrownBy(() -> builder().write(chunk, 600, new byte[9]));
    ChunkTailWriter plain = new ChunkTailWriter(Ordering.NORMALIZED);
    assertThatIllegalStateException().isThrownBy(() -> plain.write(chunk, 600, new byte[40]));
  }

  @Test
  void headersSayThatTheyAreEncrypted() throws FormatException {
    ChunkHeader header =
        new ChunkHeader("j".repeat(96), 3, 8, Ordering.NORMALIZED, CodecId.LZ4, true);
    ByteBuffer chunk = ByteBuffer.allocate(ChunkHeader.LENGTH);
    header.write(chunk);
    assertThat(ChunkHeader.read(chunk, ChunkHeader.LENGTH)).isEqualTo(header);
    BlockHeader block =
        new BlockHeader(CodecId.NONE, BlockHeader.FLAG_ENCRYPTED, 3, 0, 0, 0, 1, 9, 49, 0);
    ByteBuffer bytes = ByteBuffer.allocate(BlockHeader.LENGTH);
    block.write(bytes, 0);
    assertThat(BlockHeader.read(bytes, 0, BlockHeader.LENGTH)).isEqualTo(block);
    block.withStored(48, 0).write(bytes, 0);
    assertThatThrownBy(() -> BlockHeader.read(bytes, 0, BlockHeader.LENGTH))
        .isInstanceOf(CorruptFormatException.class)
        .hasMessageContaining("out of bounds");
  }
}
