package dev.sailfish.lineage.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.lineage.protocol.BlockTail;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A block that is longer than what is touched of it ahead of a reader, and than the room at its
 * beginning.
 */
@Seeded
class LargeBlockTest {
  private static final int BLOCK_LOG = 25;
  private static final int LENGTH = (1 << BLOCK_LOG) - 12_345;

  @TempDir Path directory;

  private TestStore store;
  private StoreClient client;
  private byte[] content;

  @BeforeEach
  void write(Random random) throws IOException {
    store = new TestStore(directory);
    store.startWorker(1);
    client = store.client();
    content = new byte[LENGTH];
    random.nextBytes(content);
    CreateFile file = TestStore.file("/file").toBuilder().setBlockSizeLog(BLOCK_LOG).build();
    ByteBuffer direct = ByteBuffer.allocateDirect(LENGTH).put(content).flip();
    try (FileOutput out = client.create(file)) {
      while (direct.hasRemaining()) {
        int count = Math.min(direct.remaining(), 1 + random.nextInt(3 << 20));
        out.write(direct.slice(direct.position(), count));
        direct.position(direct.position() + count);
      }
    }
  }

  @AfterEach
  void stop() throws IOException {
    store.close();
  }

  @Test
  void isReadFromAnywhere(Random random) throws IOException {
    try (FileInput in = client.open("/file")) {
      for (int i = 0; i < 40; i++) {
        int unit = random.nextInt(BlockTail.units(LENGTH));
        int at = unit * BlockTail.UNIT;
        ByteBuffer into = ByteBuffer.allocateDirect(1 + random.nextInt(12 << 20));
        int wanted = Math.min(into.remaining(), LENGTH - at);
        int read = 0;
        while (read < wanted) {
          read += in.read((long) at + read, into);
        }
        into.flip();
        assertThat(into).isEqualTo(ByteBuffer.wrap(content, at, wanted));
      }
    }
  }

  @Test
  void isMappedInPieces(Random random) throws IOException {
    try (FileInput in = client.open("/file")) {
      for (int at = 0; at < LENGTH; ) {
        ByteBuffer piece = in.map(at, 1 + random.nextInt(3 << 20));
        assertThat(piece).isEqualTo(ByteBuffer.wrap(content, at, piece.remaining()));
        at += piece.remaining();
      }
      int at = random.nextInt(LENGTH);
      assertThat(in.map(at)).isEqualTo(ByteBuffer.wrap(content, at, LENGTH - at));
    }
  }

  @Test
  void aFlippedBitIsFoundInAMapping(Random random) throws IOException {
    int at = random.nextInt(LENGTH);
    try (Stream<Path> files = Files.walk(store.memory(1))) {
      Path block = files.filter(file -> file.toFile().length() > LENGTH).findFirst().orElseThrow();
      try (var file = Files.newByteChannel(block, StandardOpenOption.WRITE)) {
        file.position(at).write(ByteBuffer.wrap(new byte[] {(byte) (content[at] ^ 4)}));
      }
    }
    try (StoreClient impatient = new StoreClient(impatient());
        FileInput in = impatient.open("/file")) {
      ByteBuffer into = ByteBuffer.allocateDirect(LENGTH);
      assertThatThrownBy(() -> readAll(in, into)).isInstanceOf(IOException.class);
      assertThat(into.position()).isLessThanOrEqualTo(at);
      assertThatThrownBy(() -> in.map(at, 1)).isInstanceOf(IOException.class);
    }
  }

  private StoreClientConfig impatient() {
    return new StoreClientConfig(
        store.masters(),
        Network.SOCKETS,
        Credentials.none(),
        TestStore.ROOT,
        Set.of("localhost"),
        StoreClientConfig.DEFAULT_BUFFER_BYTES,
        Duration.ofSeconds(1));
  }

  private static void readAll(FileInput in, ByteBuffer into) throws IOException {
    while (into.hasRemaining()) {
      in.read(into);
    }
  }
}
