package dev.sailfish.benchmarks.chunkserver;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SplittableRandom;

/**
 * The most that a task could save when it reached the memory of a chunkserver on its own host
 * without the socket: CPU time of both sides for the bytes alone. There is no frame, no checksum
 * and no token, which cost the same on either way.
 *
 * <pre>
 *   append: array ─▶ socket ─▶ direct buffer ─▶ mapped segment     array ─▶ mapped segment
 *   read:   file ─ sendfile ─▶ socket ─▶ array                     mapped anew ─▶ array
 * </pre>
 *
 * <p>Arguments: MiB of each run, rounds, a directory on {@code /dev/shm} for a file of 128 MiB.
 */
public final class SameHostPaths {
  private static final int BLOCK_BYTES = 256 << 10;
  private static final int SEGMENT_BYTES = 128 << 20;
  private static final double MS_PER_S = 1e3;

  private final byte[] block = new byte[BLOCK_BYTES];
  private final long blocks;
  private final FileChannel file;
  private final MappedByteBuffer segment;
  private final Loopback loopback = new Loopback();

  private SameHostPaths(long mib, FileChannel file) throws IOException {
    this.file = file;
    blocks = (mib << 20) / BLOCK_BYTES;
    segment = file.map(MapMode.READ_WRITE, 0, SEGMENT_BYTES);
    new SplittableRandom(1).nextBytes(block);
  }

  /** Measures and prints: ms of CPU time for 1 GiB, of this process. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    Path path = Path.of(arguments[2]).resolve("same-host-paths");
    try (FileChannel file =
        FileChannel.open(
            path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      SameHostPaths paths = new SameHostPaths(Long.parseLong(arguments[0]), file);
      for (int round = 0; round < Integer.parseInt(arguments[1]); round++) {
        System.out.printf(
            "CPU ms per GiB: append by socket %.0f, mapped %.0f; read by socket %.0f, mapped %.0f%n",
            paths.cpuMs(paths::appendBySocket),
            paths.cpuMs(paths::appendMapped),
            paths.cpuMs(paths::readBySocket),
            paths.cpuMs(paths::readMapped));
      }
      paths.loopback.close();
    } finally {
      Files.delete(path);
    }
  }

  private double cpuMs(ProcessCpu.Work way) throws IOException, InterruptedException {
    double gib = blocks * BLOCK_BYTES / (double) (1 << 30);
    return ProcessCpu.seconds(way) * MS_PER_S / gib;
  }

  private int offset(long block) {
    return (int) (block * BLOCK_BYTES % SEGMENT_BYTES);
  }

  private void appendMapped() {
    for (long i = 0; i < blocks; i++) {
      segment.put(offset(i), block);
    }
  }

  private void appendBySocket() throws IOException, InterruptedException {
    loopback.connect(
        client -> {
          for (long i = 0; i < blocks; i++) {
            Loopback.writeAll(client, ByteBuffer.wrap(block));
          }
        },
        socket -> {
          ByteBuffer arrived = ByteBuffer.allocateDirect(BLOCK_BYTES);
          for (long i = 0; i < blocks; i++) {
            Loopback.readAll(socket, arrived.clear());
            segment.put(offset(i), arrived.flip(), 0, BLOCK_BYTES);
          }
        });
  }

  /** A reader maps each segment for itself, and touches its pages for the first time. */
  private void readMapped() throws IOException {
    MappedByteBuffer mapped = null;
    byte[] read = new byte[BLOCK_BYTES];
    for (long i = 0; i < blocks; i++) {
      if (offset(i) == 0) {
        mapped = file.map(MapMode.READ_ONLY, 0, SEGMENT_BYTES);
      }
      mapped.get(offset(i), read);
    }
  }

  private void readBySocket() throws IOException, InterruptedException {
    loopback.connect(
        client -> {
          ByteBuffer read = ByteBuffer.allocate(BLOCK_BYTES);
          for (long i = 0; i < blocks; i++) {
            Loopback.readAll(client, read.clear());
          }
        },
        socket -> {
          for (long i = 0; i < blocks; i++) {
            long end = offset(i) + BLOCK_BYTES;
            for (long at = offset(i); at < end; ) {
              at += file.transferTo(at, end - at, socket);
            }
          }
        });
  }
}
