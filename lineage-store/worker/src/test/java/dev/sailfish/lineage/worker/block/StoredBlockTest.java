package dev.sailfish.lineage.worker.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sailfish.lineage.protocol.BlockTail;
import dev.sailfish.lineage.protocol.DamagedBlockException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A block that is read here, to be copied below. */
class StoredBlockTest {
  private static final BlockId ID = new BlockId(7, 0);
  private static final int LENGTH = BlockTail.UNIT + 100;
  private static final int LIMIT = 10;

  @TempDir Path root;

  private static ByteBuffer read(BlockTable blocks) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(LENGTH);
    try (StoredBlock block = new StoredBlock(blocks, ID)) {
      block.read(0, bytes);
    }
    return bytes.flip();
  }

  @Test
  void isReadAsItWasWritten() throws IOException {
    try (BlockFixture store = new BlockFixture(root)) {
      store.write(ID, new byte[LENGTH]);
      assertThat(read(store.blocks())).isEqualTo(ByteBuffer.allocate(LENGTH));
    }
  }

  /** In its bytes, and behind them. */
  @ParameterizedTest
  @ValueSource(ints = {LENGTH - 1, LENGTH})
  void goesWhenItIsDamaged(int at) throws IOException {
    try (BlockFixture store = new BlockFixture(root)) {
      store.write(ID, new byte[LENGTH]);
      try (RandomAccessFile file = new RandomAccessFile(store.segment(ID).path().toFile(), "rw")) {
        file.seek(at);
        int before = file.read();
        file.seek(at);
        file.write(before ^ 1);
      }
      assertThatExceptionOfType(DamagedBlockException.class).isThrownBy(() -> read(store.blocks()));
      assertThat(store.blocks().isSealed(ID)).isFalse();
      assertThat(store.changes().take(LIMIT)).isEqualTo(Map.of(ID, Changes.GONE));
    }
  }
}
