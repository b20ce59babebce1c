package dev.sailfish.blockstore.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.Pointer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** How much of a file is in huge pages, as the kernel maps it. */
public final class HugePagesOf {
  private static final Path ALLOWED = Path.of("/sys/kernel/mm/transparent_hugepage/shmem_enabled");
  private static final String FIELD = "ShmemPmdMapped:";

  private HugePagesOf() {}

  /** Ends a test where the kernel makes none in files of a directory. */
  public static void assume(Path directory) throws IOException {
    int[] release =
        Arrays.stream(System.getProperty("os.version").split("[^0-9]+", 3))
            .limit(2)
            .mapToInt(Integer::parseInt)
            .toArray();
    assumeTrue(release[0] > 6 || release[0] == 6 && release[1] >= 1, "Linux 6.1");
    assumeTrue(Files.getFileStore(directory).type().equals("tmpfs"), "memory");
    assumeTrue(Files.exists(ALLOWED) && !Files.readString(ALLOWED).contains("[deny]"), "allowed");
  }

  /** In bytes; the first page of each is touched for it. */
  public static long bytes(Path file) throws IOException {
    long huge = PageMaker.hugeBytes();
    long length = Files.size(file);
    int nothing = CLibrary.PRIVATE | CLibrary.ANONYMOUS | CLibrary.NO_RESERVE;
    long reserved = CLibrary.mmap(0, length + huge, 0, nothing, -1, 0);
    int descriptor = CLibrary.open(file.toString(), CLibrary.READ_WRITE);
    try {
      long start = (reserved + huge - 1) / huge * huge;
      int fixed = CLibrary.SHARED | CLibrary.FIXED;
      CLibrary.mmap(start, length, CLibrary.READ, fixed, descriptor, 0);
      for (long at = 0; at < length; at += huge) {
        assertThat(new Pointer(start + at).getByte(0)).isNotNull();
      }
      return mapped(start);
    } finally {
      CLibrary.close(descriptor);
      CLibrary.munmap(reserved, length + huge);
    }
  }

  private static long mapped(long start) throws IOException {
    List<String> lines = Files.readAllLines(Path.of("/proc/self/smaps"));
    String address = "%08x-".formatted(start);
    int at = 0;
    while (!lines.get(at).startsWith(address)) {
      at++;
    }
    while (!lines.get(at).startsWith(FIELD)) {
      at++;
    }
    return Long.parseLong(lines.get(at).substring(FIELD.length()).replace("kB", "").strip()) << 10;
  }
}
