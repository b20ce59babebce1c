package dev.sailfish.ground.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Whether the files of a directory are in huge pages: memory that the kernel takes, maps and gives
 * back in pieces of up to 2 MiB instead of 4 KiB. A {@code tmpfs} has them when it is mounted with
 * {@code huge=within_size} or {@code huge=always}.
 */
public final class HugePages {
  private static final Path MOUNTS = Path.of("/proc/self/mountinfo");

  /** The device of a mount, {@code MAJOR:MINOR}, among the fields of its line. */
  private static final int DEVICE = 2;

  private static final String OPTIONAL_FIELDS_END = " - ";
  private static final List<String> OPTIONS = List.of("huge=within_size", "huge=always");

  private HugePages() {}

  /** Whether files in a directory have them; false where the system does not say. */
  public static boolean backs(Path directory) {
    try (Stream<String> mounts = Files.lines(MOUNTS)) {
      long device = ((Number) Files.getAttribute(directory, "unix:dev")).longValue();
      return mounts.anyMatch(line -> isOf(line, device) && isHuge(line));
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
      return false; // no Linux: nothing depends on it but speed
    }
  }

  private static boolean isOf(String line, long device) {
    String[] fields = line.split(" ", DEVICE + 2);
    return fields.length > DEVICE && fields[DEVICE].equals(major(device) + ":" + minor(device));
  }

  /** Only the file system's own options are behind the separator. */
  static boolean isHuge(String line) {
    int end = line.lastIndexOf(OPTIONAL_FIELDS_END);
    String[] fields = line.substring(Math.max(0, end)).strip().split(" ");
    return List.of(fields).contains("tmpfs")
        && OPTIONS.stream().anyMatch(List.of(fields[fields.length - 1].split(","))::contains);
  }

  // The kernel's encoding of a device number (huge_encode_dev): 12 and 20 bits in three pieces.

  private static long major(long device) {
    return device >>> 8 & 0xfff | device >>> 32 & ~0xfffL;
  }

  private static long minor(long device) {
    return device & 0xff | device >>> 12 & 0xffffff00L;
  }
}
