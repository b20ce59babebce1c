package dev.sailfish.lineage.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.ProgramFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files at a worker that has little more room than they need. */
@Timeout(120)
class SmallWorkerTest {
  private static final int MIB = 1 << 20;
  private static final int LARGE_BLOCKS = 26;

  @TempDir private Path directory;
  private TestStore store;

  @BeforeEach
  void start() throws IOException {
    store = new TestStore(directory);
  }

  private void startWorker(String capacity, String fullDeadline) throws IOException {
    store.startWorker(
        1,
        "dirs",
        store.memory(1) + ":disktype=MEM:capacity=" + capacity,
        "full.deadline",
        fullDeadline);
  }

  @AfterEach
  void stop() throws IOException {
    store.close();
  }

  private Path program(int length) throws IOException {
    return Files.write(directory.resolve("job.jar"), new byte[length]);
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost", "elsewhere"})
  void aProgramNeedsNoMoreRoomThanItHasBytes(String host) throws IOException {
    startWorker("20m", "1s");
    int length = 17 * MIB;
    Lineage lineage = store.client(Set.of(host)).lineage();
    ProgramFile program = lineage.upload(program(length));
    ByteArrayOutputStream fetched = new ByteArrayOutputStream();
    lineage.fetch("root", program, fetched);
    assertThat(fetched.size()).isEqualTo(length);
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost", "elsewhere"})
  void aProgramForWhichThereIsNoRoomIsTriedOnce(String host) throws IOException {
    startWorker("20m", "1s");
    Lineage lineage = store.client(Set.of(host)).lineage();
    Path program = program(33 * MIB);
    assertThatThrownBy(() -> lineage.upload(program))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no worker takes a block");
    assertThat(store.metric(1, "blocks_sealed_total")).isEqualTo(1);
  }

  /** In pieces that do not go through the buffer. */
  private void write(StoreClient client, String path, int length) throws IOException {
    byte[] piece = new byte[MIB / 4];
    CreateFile file = TestStore.file(path).toBuilder().setBlockSizeLog(LARGE_BLOCKS).build();
    try (FileOutput out = client.create(file)) {
      while (out.position() < length) {
        out.write(piece);
      }
    }
    assertThat(client.namespace().stat(path).getLength()).isEqualTo(length);
  }

  @Test
  void moreRoomThanThereCanBeIsNotWaitedFor() throws IOException {
    startWorker("20m", "1h");
    write(store.client(), "/one", 17 * MIB);
  }

  @Test
  void aFileEndsThoughItsWorkerWaitsForMoreRoom() throws IOException {
    startWorker("40m", "1h");
    StoreClient client = store.client();
    write(client, "/one", 20 * MIB);
    write(client, "/two", 12 * MIB);
  }

  /** Each of the pieces would wait for as long. */
  @Test
  @Timeout(40)
  void moreRoomThanIsNeededIsWaitedForOnce() throws IOException {
    startWorker("40m", "3s");
    StoreClient client = store.client();
    write(client, "/one", 14 * MIB);
    write(client, "/two", 22 * MIB);
  }
}
