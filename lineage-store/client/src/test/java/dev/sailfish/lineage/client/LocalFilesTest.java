package dev.sailfish.lineage.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A client on the worker's host that cannot open one of the worker's files. */
@Timeout(120)
class LocalFilesTest {
  private static final byte[] CONTENT = new byte[1_000];

  @TempDir private Path directory;
  private TestStore store;
  private StoreClient client;

  @BeforeEach
  void start() throws IOException {
    store = new TestStore(directory);
    store.startWorker(1, "scrub", "1h");
    client = store.client();
    for (String path : new String[] {"/gone", "/there"}) {
      try (FileOutput out = client.create(TestStore.file(path))) {
        out.write(CONTENT);
      }
    }
  }

  @AfterEach
  void stop() throws IOException {
    store.close();
  }

  private Path file(String path) throws IOException {
    String block = "%016x-0@".formatted(client.namespace().stat(path).getFid());
    try (Stream<Path> files = Files.list(store.memory(1).resolve("segments"))) {
      return files
          .filter(each -> each.getFileName().toString().startsWith(block))
          .findAny()
          .orElseThrow();
    }
  }

  private void read(String path) throws IOException {
    try (FileInput in = client.open(path)) {
      assertThat(in.readAllBytes()).isEqualTo(CONTENT);
    }
  }

  @Test
  void theOthersAreReadThereAllTheSame() throws IOException {
    read("/gone");
    Files.delete(file("/gone"));
    try (FileInput in = client.openAtOnce("/gone")) {
      assertThatThrownBy(in::readAllBytes).hasMessageContaining("no worker gives block 0 of gone");
    }
    long shared = store.metric(1, "blocks_shared_total");
    read("/there");
    assertThat(store.metric(1, "blocks_shared_total")).isEqualTo(shared + 1);
    assertThat(store.metric(1, "read_bytes_total")).isZero();
  }
}
