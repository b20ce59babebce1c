package dev.sailfish.blockstore;

import dev.sailfish.blockstore.BlockStoreConfig.Directory;
import dev.sailfish.blockstore.BlockStoreConfig.TierConfig;
import dev.sailfish.ground.config.StorageDirectory;
import dev.sailfish.ground.config.StorageDirectory.DiskType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/** The tiers of a store out of the directories that an operator has named. */
public final class StoreTiers {
  private static final String SEGMENTS = "segments";

  private StoreTiers() {}

  /**
   * The tiers of some directories, segments in a subdirectory of each. Creates, with mode 0700,
   * those that may use all of their file system.
   *
   * @throws IOException when one cannot be created
   */
  public static List<TierConfig> of(List<StorageDirectory> directories) throws IOException {
    List<TierConfig> tiers = new ArrayList<>();
    for (DiskType type : DiskType.values()) {
      List<Directory> of = new ArrayList<>();
      for (StorageDirectory directory : directories) {
        if (directory.type() == type) {
          of.add(new Directory(directory.path().resolve(SEGMENTS), capacity(directory)));
        }
      }
      if (!of.isEmpty()) {
        tiers.add(new TierConfig(tier(type), of));
      }
    }
    return tiers;
  }

  private static Tier tier(DiskType type) {
    return switch (type) {
      case MEM -> Tier.MEMORY;
      case SSD -> Tier.SSD;
      case HDD -> Tier.DISK;
    };
  }

  private static long capacity(StorageDirectory directory) throws IOException {
    if (directory.capacityBytes() != StorageDirectory.ALL_OF_IT) {
      return directory.capacityBytes();
    }
    Files.createDirectories(
        directory.path(),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    return Files.getFileStore(directory.path()).getTotalSpace();
  }

  /** The directory in which a daemon keeps what is to live as long as what it stores. */
  public static Path mostDurable(List<StorageDirectory> directories) {
    return directories.stream()
        .filter(directory -> directory.type() != DiskType.MEM)
        .findFirst()
        .orElse(directories.get(0))
        .path();
  }
}
