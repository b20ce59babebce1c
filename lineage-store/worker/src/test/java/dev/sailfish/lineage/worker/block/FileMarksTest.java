package dev.sailfish.lineage.worker.block;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Blocks that are pinned, freed and loaded again before anybody looks at them. */
class FileMarksTest {
  private static final long FID = 7;
  private static final BlockId ID = new BlockId(FID, 0);
  private static final byte[] CONTENT = new byte[100];
  private static final int ALL = 100;

  @TempDir Path root;
  private BlockFixture store;
  private FileMarks marks;

  @BeforeEach
  void open() throws IOException {
    store = new BlockFixture(root);
    marks = new FileMarks(store.segments(), store.blocks(), ALL);
    store.write(ID, CONTENT);
    marks.told(FID, "alice", true);
    assertThat(marks.pinnedBytes()).isPositive();
  }

  @AfterEach
  void close() throws IOException {
    store.close();
  }

  private void replace(byte[] content) throws IOException {
    store.blocks().delete(ID);
    store.write(ID, content);
  }

  @Test
  void whatHasComeAgainIsNotUnpinned() throws IOException {
    replace(CONTENT);
    marks.told(FID, "alice", false);
    assertThat(marks.pinnedBytes()).isZero();
    assertThat(store.segment(ID).isEvictable()).isTrue();
  }

  @Test
  void whatHasComeAgainIsPinnedAgain() throws IOException {
    replace(new byte[2 * CONTENT.length]);
    assertThat(store.segment(ID).isEvictable()).isTrue();
    marks.told(FID, "alice", true);
    assertThat(store.segment(ID).isEvictable()).isFalse();
    assertThat(marks.pinnedBytes()).isEqualTo(store.segment(ID).length());
    marks.told(FID, "alice", false);
    assertThat(store.segment(ID).isEvictable()).isTrue();
    assertThat(marks.pinnedBytes()).isZero();
  }

  @Test
  void whatHasComeAgainCountsForNothingBeforeItIsPinned() throws IOException {
    replace(CONTENT);
    marks.settle();
    assertThat(marks.pinnedBytes()).isZero();
    assertThat(marks.pinnedByOwner()).isEmpty();
  }
}
