package dev.sailfish.lineage.worker.block;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The master says that nobody needs a file, of which blocks come again at the same time. */
class UnneededBlocksTest {
  private static final long FID = 7;
  private static final BlockId FIRST = new BlockId(FID, 0);
  private static final BlockId SECOND = new BlockId(FID, 1);
  private static final byte[] CONTENT = new byte[100];

  @TempDir Path root;
  private BlockFixture store;
  private BlockTable blocks;

  @BeforeEach
  void open() throws IOException {
    store = new BlockFixture(root);
    blocks = store.blocks();
  }

  @AfterEach
  void close() throws IOException {
    store.close();
  }

  @Test
  void whatWasHereWhenTheMasterWasAskedGoes() throws IOException {
    store.write(FIRST, CONTENT);
    store.begin(SECOND, CONTENT);
    store.write(new BlockId(FID + 1, 0), CONTENT);
    blocks.asked();
    blocks.deleteUnneeded(FID);
    assertThat(blocks.size()).isOne();
    assertThat(blocks.writing()).isZero();
    assertThat(blocks.isSealed(FIRST)).isFalse();
  }

  @Test
  void aBlockThatWasWrittenAgainSinceStays() throws IOException {
    store.write(FIRST, CONTENT);
    blocks.asked();
    blocks.delete(FIRST);
    store.write(FIRST, CONTENT);
    blocks.deleteUnneeded(FIRST);
    blocks.deleteUnneeded(FID);
    assertThat(blocks.isSealed(FIRST)).isTrue();
    blocks.asked();
    blocks.deleteUnneeded(FIRST);
    assertThat(blocks.isSealed(FIRST)).as("the next answer speaks of it").isFalse();
  }

  @Test
  void aBlockThatWasSealedSinceStays() throws IOException {
    store.begin(FIRST, CONTENT);
    blocks.asked();
    blocks.seal(FIRST, CONTENT.length);
    blocks.deleteUnneeded(FID);
    assertThat(blocks.isSealed(FIRST)).isTrue();
  }

  @Test
  void aBlockThatWasBegunSinceIsWrittenOn() throws IOException {
    store.write(FIRST, CONTENT);
    blocks.asked();
    store.begin(SECOND, CONTENT);
    blocks.deleteUnneeded(FID);
    blocks.seal(SECOND, CONTENT.length);
    assertThat(blocks.isSealed(SECOND)).isTrue();
    assertThat(blocks.isSealed(FIRST)).isTrue();
  }
}
