package dev.sailfish.lineage.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.lineage.protocol.wire.OpenFileResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Writers on the worker's host whose blocks do not fit into its memory together. */
@Timeout(120)
class CrowdedMemoryTest {
  private static final int BLOCK_LOG = 26;
  private static final int PIECE = 1 << 20;
  private static final int PIECES = (1 << BLOCK_LOG) / PIECE;
  private static final int TIER_MASK = 3;

  @TempDir private Path directory;
  private TestStore store;
  private StoreClient client;

  @BeforeEach
  void start() throws IOException {
    store = new TestStore(directory);
    store.startWorker(
        1,
        "dirs",
        "%s:disktype=MEM:capacity=80m,%s:capacity=400m"
            .formatted(store.memory(1), directory.resolve("disk")),
        "full.deadline",
        "1s");
    client = store.client();
  }

  @AfterEach
  void stop() throws IOException {
    store.close();
  }

  private List<FileOutput> begin(int files) throws IOException {
    List<FileOutput> outs = new ArrayList<>();
    for (int i = 0; i < files; i++) {
      outs.add(
          client.create(TestStore.file("/" + i).toBuilder().setBlockSizeLog(BLOCK_LOG).build()));
    }
    return outs;
  }

  private int tier(int file) throws IOException {
    OpenFileResponse opened = client.namespace().open("/" + file, 1);
    return opened.getBlocks(0).getPlaces(0) & TIER_MASK;
  }

  /** They are written in turns, and none of them gets all of its room in memory at once. */
  @Test
  void allOfThemComeToAnEnd() throws IOException {
    List<FileOutput> outs = begin(3);
    byte[] piece = new byte[PIECE];
    for (int i = 0; i < PIECES; i++) {
      for (FileOutput out : outs) {
        out.write(piece);
      }
    }
    for (FileOutput out : outs) {
      out.close();
    }
    for (int i = 0; i < outs.size(); i++) {
      assertThat(client.namespace().stat("/" + i).getLength()).isEqualTo(1 << BLOCK_LOG);
    }
  }

  @Test
  void oneAloneBeginsInMemory() throws IOException {
    try (FileOutput out = begin(1).get(0)) {
      out.write(new byte[2 * PIECE]);
    }
    assertThat(tier(0)).isZero();
  }
}
