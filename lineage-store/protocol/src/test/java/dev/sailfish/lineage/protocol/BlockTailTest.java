package dev.sailfish.lineage.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlockTailTest {
  private static final int UNIT = BlockTail.UNIT;
  private static final long FID = 0x1_0000_0007L;

  private static byte[] content(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  private static BlockTail tail(byte[] content) {
    return new BlockTail(FID, 3, content.length, BlockTail.checksums(ByteBuffer.wrap(content)));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, UNIT - 1, UNIT, UNIT + 1, 3 * UNIT, 3 * UNIT + 17})
  void readsWhatItWrote(int length) throws IOException {
    byte[] content = content(length);
    ByteBuffer encoded = tail(content).encode();
    assertThat(encoded.remaining()).isEqualTo(BlockTail.length(length));
    BlockTail read = BlockTail.decode(encoded, BlockTail.fileLength(length), FID, 3);
    assertThat(read.length()).isEqualTo(length);
    assertThatCode(() -> read.verify(0, ByteBuffer.wrap(content))).doesNotThrowAnyException();
    for (int unit = 0; unit < BlockTail.units(length); unit++) {
      int from = unit * UNIT;
      read.verify(from, ByteBuffer.wrap(content, from, Math.min(UNIT, length - from)));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, UNIT - 1, UNIT, UNIT + 1, 2 * UNIT, 1 << 20, (1 << 20) + 1})
  void theLengthOfTheFileSaysThatOfTheBlock(int length) {
    assertThat(BlockTail.blockLength(BlockTail.fileLength(length))).isEqualTo(length);
  }

  @Test
  void noBlockHasAFileOfSuchALength() {
    for (long length : new long[] {0, 27, 29, 32, BlockTail.fileLength(UNIT) + 4}) {
      assertThat(BlockTail.blockLength(length)).isEqualTo(-1);
    }
    assertThat(BlockTail.blockLength(BlockTail.fileLength(1L << 30))).isEqualTo(1L << 30);
  }

  @Test
  void eachDamagedByteIsFound() throws IOException {
    byte[] content = content(UNIT + 5);
    byte[] encoded = tail(content).encode().array();
    long fileLength = BlockTail.fileLength(content.length);
    for (int i = 0; i < encoded.length; i++) {
      byte[] damaged = encoded.clone();
      damaged[i] ^= 1;
      assertThatIOException()
          .isThrownBy(() -> BlockTail.decode(ByteBuffer.wrap(damaged), fileLength, FID, 3))
          .withMessageContaining("fid=0000000100000007 block=3");
    }
    BlockTail tail = BlockTail.decode(ByteBuffer.wrap(encoded), fileLength, FID, 3);
    content[UNIT + 2] ^= 1;
    assertThatIOException()
        .isThrownBy(() -> tail.verify(0, ByteBuffer.wrap(content)))
        .withMessageContaining("offset=" + UNIT);
  }

  @Test
  void anotherBlocksTailIsNone() {
    byte[] encoded = tail(content(10)).encode().array();
    long fileLength = BlockTail.fileLength(10);
    assertThatIOException()
        .isThrownBy(() -> BlockTail.decode(ByteBuffer.wrap(encoded), fileLength, FID, 2));
    assertThatIOException()
        .isThrownBy(() -> BlockTail.decode(ByteBuffer.wrap(encoded), fileLength, FID + 1, 3));
    byte[] shorter = Arrays.copyOf(encoded, encoded.length - 1);
    assertThatIOException()
        .isThrownBy(() -> BlockTail.decode(ByteBuffer.wrap(shorter), fileLength, FID, 3));
  }
}
