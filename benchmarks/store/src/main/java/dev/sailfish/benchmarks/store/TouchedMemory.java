package dev.sailfish.benchmarks.store;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Memory that is there for the next file: held by a file until then. A host that gets back what a
 * virtual machine has free for two seconds (free page reporting of the kernel) has to find it again
 * at the first touch, which takes several times as long as to write it. Machines that own their
 * memory do not, and what is to be measured is the storage.
 */
final class TouchedMemory implements AutoCloseable {
  private static final int PIECE = 1 << 20;

  /**
   * So many times what is written is held, if there is as much: the kernel may take memory that was
   * free for longer before it takes what was freed last.
   */
  private static final int TIMES = 8;

  /** For what servers make ready meanwhile, and the kernel's own. */
  private static final long LEFT = 4L << 30;

  private final Path file;

  private TouchedMemory(Path file) {
    this.file = file;
  }

  /**
   * Touches memory.
   *
   * @param directory on the memory file system that is written to next
   * @param written how many bytes will be
   */
  static TouchedMemory hold(Path directory, long written) throws IOException {
    long bytes = Math.min(TIMES * written, most(directory));
    TouchedMemory held = new TouchedMemory(Files.createTempFile(directory, "touched-", null));
    boolean isHeld = false;
    try (FileChannel channel = FileChannel.open(held.file, StandardOpenOption.WRITE)) {
      ByteBuffer zeros = ByteBuffer.allocateDirect(PIECE);
      for (long at = 0; at < bytes; at += PIECE) {
        channel.write(zeros.clear(), at);
      }
      isHeld = true;
      return held;
    } finally {
      if (!isHeld) {
        held.close();
      }
    }
  }

  /** Not all that is free is asked for: a program that gets nothing more ends. */
  private static long most(Path directory) throws IOException {
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long free =
        Math.min(system.getFreeMemorySize(), Files.getFileStore(directory).getUsableSpace());
    return Math.max(0, free - LEFT);
  }

  /** The next files get it. */
  @Override
  public void close() throws IOException {
    Files.deleteIfExists(file);
  }
}
