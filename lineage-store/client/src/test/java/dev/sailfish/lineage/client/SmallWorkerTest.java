package dev.sailfish.lineage.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.lineage.protocol.wire.ProgramFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs of more than one block at a worker that has little more room than they need. */
@Timeout(120)
class SmallWorkerTest {
  private static final int MIB = 1 << 20;

  @TempDir private Path directory;
  private TestStore store;

  @BeforeEach
  void start() throws IOException {
    store = new TestStore(directory);
    store.startWorker(
        1,
        "dirs",
        "%s:disktype=MEM:capacity=20m".formatted(store.memory(1)),
        "full.deadline",
        "1s");
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
    Lineage lineage = store.client(Set.of(host)).lineage();
    Path program = program(33 * MIB);
    assertThatThrownBy(() -> lineage.upload(program))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no worker takes a block");
    assertThat(store.metric(1, "blocks_sealed_total")).isEqualTo(1);
  }
}
