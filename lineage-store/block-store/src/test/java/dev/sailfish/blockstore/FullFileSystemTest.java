package dev.sailfish.blockstore;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.blockstore.BlockStoreConfig.Directory;
import dev.sailfish.blockstore.BlockStoreConfig.OwnerConfig;
import dev.sailfish.blockstore.BlockStoreConfig.TierConfig;
import dev.sailfish.testkit.ChildJvm;
import dev.sailfish.testkit.MemoryDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A memory file system that is smaller than the configured capacity: a JVM of its own, in a mount
 * namespace where that is allowed, fills it.
 */
@Timeout(60)
class FullFileSystemTest {
  @TempDir Path root;

  /** With the native library by which pages are made, and without. */
  @ParameterizedTest
  @ValueSource(strings = {"-Djna.nosys=true", "-Djna.noclasspath=true"})
  void shouldAnswerFalseAndNotFaultWhenTheFileSystemIsFull(String flag) throws Exception {
    Path small = root.resolve("small");
    Path log = root.resolve("filler.log");
    MemoryDisk disk = new MemoryDisk(small, "size=1m");
    disk.assume();
    List<String> filler =
        ChildJvm.command(Filler.class, List.of("-Xmx64m", flag), small.toString());
    assertThat(disk.run(log, Duration.ofSeconds(30), filler)).as(() -> read(log)).isZero();
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** Fills a 1 MiB file system through a store that believes it has 8 MiB. */
  static final class Filler {
    private static final int STEP = 64 * 1024;

    private Filler() {}

    public static void main(String[] arguments) throws IOException {
      Directory memory = new Directory(Path.of(arguments[0], "store"), 8 << 20);
      BlockStoreConfig config =
          StoreFixture.config(
              List.of(new TierConfig(Tier.MEMORY, List.of(memory))),
              new OwnerConfig("test", Map.of()));
      try (BlockStore opened = BlockStore.open(config, System::nanoTime)) {
        Owner store = opened.owner("test");
        Segment pooled = store.allocate("pooled", 4 * STEP, 0, Tier.MEMORY);
        require(pooled.ensure(4 * STEP), "room for the pool");
        pooled.delete();

        Segment segment = store.allocate("a", 64 * STEP, 0, Tier.MEMORY);
        long ensured = STEP;
        while (segment.ensure(ensured + 4096)) {
          ensured += 4096;
        }
        StoreUsage usage = store.usage();
        require(ensured > 13 * STEP, "pooled pages were given up first, ensured=" + ensured);
        require(usage.pooledBytes(Tier.MEMORY) == 0, usage.toString());
        require(usage.usedBytes(Tier.MEMORY) == ensured, "ensured=" + ensured + " " + usage);
        require(Files.size(segment.path()) == ensured, "file is as long as ensured=" + ensured);
        for (int at = 0; at < ensured; at += 4096) {
          segment.buffer().putInt(at, at);
        }
        requireNoSpace(store);
        segment.sealWithChecksum(ensured);
        segment.verify();
        segment.delete();
        requireRollback(store.allocate("b", 128 * STEP, 0, Tier.MEMORY), ensured);
      }
    }

    private static void requireRollback(Segment segment, long room) throws IOException {
      require(!segment.ensure(60 * STEP), "more than the file system has");
      long fileBytes = Files.size(segment.path());
      require(fileBytes == STEP, "the step is given up whole, fileBytes=" + fileBytes);
      require(segment.ensure(room), "room again");
    }

    private static void requireNoSpace(Owner store) {
      try {
        store.allocate("none", STEP, 0, Tier.MEMORY);
      } catch (NoSpaceException e) {
        return;
      }
      throw new AssertionError("allocated on a full file system");
    }

    private static void require(boolean condition, String message) {
      if (!condition) {
        throw new AssertionError(message);
      }
    }
  }
}
