package dev.sailfish.lineage.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.testkit.ChildJvm;
import dev.sailfish.testkit.MemoryDisk;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A worker whose memory is a file system with huge pages: it sees that by itself, and its client
 * reads out of mappings. Needs {@code unshare -rm} for the file system.
 */
@Seeded
@Timeout(120)
class HugeMemoryTest {
  @TempDir private Path root;

  @Test
  void blocksAreReadOutOfTheirMappings(Random random) throws Exception {
    for (String option : List.of("huge=within_size", "huge=never")) {
      MemoryDisk disk = new MemoryDisk(root.resolve("memory"), "size=128m," + option);
      disk.assume();
      long seed = random.nextLong();
      List<String> command =
          ChildJvm.command(
              Reader.class, List.of("-Xmx128m"), root.toString(), option, Long.toString(seed));
      int exit = disk.run(root.resolve("log"), Duration.ofSeconds(50), command);
      String log = Files.readString(root.resolve("log"));
      assertThat(exit).as(log).isZero();
      assertThat(log.lines()).contains("mapped: " + option.equals("huge=within_size"));
    }
  }

  /** Writes a file and reads it, with a small read before; says whether that was mapped. */
  static final class Reader {
    private static final int LENGTH = 3 * TestStore.BLOCK - 12_345;

    private Reader() {}

    public static void main(String[] arguments) throws IOException {
      Path root = Path.of(arguments[0]);
      Path memory = root.resolve("memory");
      byte[] content = new byte[LENGTH];
      new Random(Long.parseLong(arguments[2])).nextBytes(content);
      Path directory = Files.createDirectory(root.resolve(arguments[1]));
      try (TestStore store = new TestStore(directory)) {
        store.startWorker(1, "dirs", memory.resolve("worker") + ":disktype=MEM:capacity=64m");
        StoreClient client = store.client();
        try (FileOutput out = client.create(TestStore.file("/file"))) {
          out.write(ByteBuffer.wrap(content));
        }
        try (FileInput in = client.open("/file")) {
          ByteBuffer into = ByteBuffer.allocate(LENGTH);
          in.read(into.limit(TestStore.BLOCK / 2));
          System.out.println("mapped: " + isMapped(memory));
          into.limit(LENGTH);
          while (into.hasRemaining() && in.read(into) >= 0) {
            // Until it is full.
          }
          if (!into.flip().equals(ByteBuffer.wrap(content))) {
            throw new IOException("other bytes were read");
          }
        }
      }
    }

    /** The worker maps its part of a block when a client elsewhere writes it: not here. */
    private static boolean isMapped(Path memory) throws IOException {
      try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
        return lines.anyMatch(line -> line.contains(memory.toString()));
      }
    }
  }
}
