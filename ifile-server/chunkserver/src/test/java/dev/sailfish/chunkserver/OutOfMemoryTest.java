package dev.sailfish.chunkserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.ground.server.guard.ErrorGuard;
import dev.sailfish.protocol.client.ChunkserverClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A chunkserver whose heap is too small ends, so that a supervisor starts it again. */
@Timeout(240)
class OutOfMemoryTest {
  @TempDir private Path directory;

  @Test
  void endsTheProcessWithASentenceAndACodeOfItsOwn() throws Exception {
    try (ServerProcess server = new ServerProcess(directory, Map.of())) {
      server.kill();
      server.start("-Xmx24m");
      try (ChunkserverClient client = server.connect()) {
        String long30MiB = "x".repeat(30 << 20);
        assertThatThrownBy(() -> client.listChunks(long30MiB)).isInstanceOf(IOException.class);
      }
      assertThat(server.awaitExit()).as(server.log()).isEqualTo(ErrorGuard.EXIT_CODE);
      assertThat(server.log())
          .contains("met an error that cannot be handled: java.lang.OutOfMemoryError")
          .contains("start it again, with a larger heap");
    }
  }
}
