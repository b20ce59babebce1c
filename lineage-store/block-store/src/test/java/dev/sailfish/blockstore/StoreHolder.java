package dev.sailfish.blockstore;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Holds a store with one open segment until its standard input ends or it is killed. */
final class StoreHolder {
  private StoreHolder() {}

  public static void main(String[] arguments) throws IOException {
    BlockStoreConfig config =
        BlockStoreConfig.ofDisks(
            List.of(new BlockStoreConfig.DiskDirectory(Path.of(arguments[0]), 1 << 20)));
    try (BlockStore store = BlockStore.open(config, System::nanoTime)) {
      store.allocate("open", 1000, Tier.DISK);
      System.out.println("holding");
      while (System.in.read() >= 0) {
        // Waits for the end of the input.
      }
    }
  }
}
