package dev.sailfish.lineage.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A file that is read here and there, so that the same blocks are come back to. */
@Seeded
@Timeout(120)
class StridesTest {
  private static final int BLOCK = TestStore.BLOCK;
  private static final int BLOCKS = KeptReaders.MOST + 2;
  private static final int PIECE = 1_000;

  @TempDir private Path directory;
  private TestStore store;
  private byte[] content;

  @BeforeEach
  void start(Seed seed) throws IOException {
    store = new TestStore(directory);
    store.startWorker(1, "scrub", "1h");
    content = new byte[BLOCKS * BLOCK];
    new Random(seed.random().nextLong()).nextBytes(content);
    try (FileOutput out = store.client().create(TestStore.file("/file"))) {
      out.write(content);
    }
  }

  @AfterEach
  void stop() throws IOException {
    store.close();
  }

  private long shared() {
    return store.metric(1, "blocks_shared_total");
  }

  private void read(FileInput in, long at, int count) throws IOException {
    ByteBuffer into = ByteBuffer.allocate(count);
    while (into.hasRemaining()) {
      assertThat(in.read(at + into.position(), into)).isPositive();
    }
    assertThat(into.flip()).isEqualTo(ByteBuffer.wrap(content, (int) at, count));
  }

  /** Reads in some blocks from the beginning of the file on, and returns how many were opened. */
  private long pass(FileInput in, int blocks, int inBlock, int count) throws IOException {
    long before = shared();
    for (int block = 0; block < blocks; block++) {
      read(in, (long) block * BLOCK + inBlock, count);
    }
    return shared() - before;
  }

  @Test
  void blocksStayOpenThatWereNotReadToTheEnd() throws IOException {
    try (FileInput in = store.client().open("/file")) {
      assertThat(pass(in, KeptReaders.MOST, 0, PIECE)).isEqualTo(KeptReaders.MOST);
      assertThat(pass(in, KeptReaders.MOST, PIECE, PIECE)).isZero();
      assertThat(in.map(PIECE, PIECE)).isEqualTo(ByteBuffer.wrap(content, PIECE, PIECE));
      assertThat(shared()).isEqualTo(KeptReaders.MOST);
    }
  }

  @Test
  void theOneThatRestsLongestIsClosed() throws IOException {
    try (FileInput in = store.client().open("/file")) {
      assertThat(pass(in, BLOCKS, 0, PIECE)).isEqualTo(BLOCKS); // one is read, the first is closed
      long before = shared();
      read(in, BLOCK, PIECE);
      assertThat(shared()).isEqualTo(before);
      read(in, 0, PIECE);
      assertThat(shared()).isEqualTo(before + 1);
    }
  }

  @Test
  void blocksAreClosedThatWereReadToTheEnd() throws IOException {
    try (FileInput in = store.client().open("/file")) {
      assertThat(pass(in, 4, 0, BLOCK)).isEqualTo(4);
      assertThat(pass(in, 4, 0, BLOCK)).isEqualTo(4);
    }
  }

  @Test
  void afterARestTheyAreOpenedAgain() throws IOException {
    try (FileInput in = store.client().open("/file")) {
      assertThat(pass(in, 4, 0, PIECE)).isEqualTo(4);
      in.rest();
      assertThat(pass(in, 4, 0, PIECE)).isEqualTo(4);
    }
  }

  @Test
  void connectionsAreNotKept() throws IOException {
    try (FileInput in = store.client(Set.of()).open("/file")) { // on another host
      pass(in, 4, 0, PIECE);
      pass(in, 4, PIECE, PIECE);
      pass(in, 4, 0, BLOCK);
      assertThat(shared()).isZero();
    }
  }
}
