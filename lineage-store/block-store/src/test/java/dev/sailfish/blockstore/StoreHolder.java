package dev.sailfish.blockstore;

import dev.sailfish.blockstore.BlockStoreConfig.Directory;
import dev.sailfish.blockstore.BlockStoreConfig.TierConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Holds a store with one open segment until its standard input ends or it is killed. */
final class StoreHolder {
  private StoreHolder() {}

  public static void main(String[] arguments) throws IOException {
    BlockStoreConfig config =
        StoreFixture.config(
            List.of(
                new TierConfig(Tier.DISK, List.of(new Directory(Path.of(arguments[0]), 1 << 20)))));
    try (BlockStore store = BlockStore.open(config, System::nanoTime)) {
      store.owner(StoreFixture.OWNER).allocate("open", 1000, 0, Tier.DISK);
      System.out.println("holding");
      while (System.in.read() >= 0) {
        // Waits for the end of the input.
      }
    }
  }
}
