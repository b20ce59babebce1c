package dev.sailfish.benchmarks.chunkserver;

import java.io.EOFException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

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
  private static final long DEADLINE_S = 60;
  private static final double NS_PER_MS = 1e6;

  private final byte[] block = new byte[BLOCK_BYTES];
  private final long blocks;
  private final FileChannel file;
  private final MappedByteBuffer segment;
  private final ExecutorService server = Executors.newSingleThreadExecutor();

  /** One way of moving the bytes. */
  private interface Way {
    void move() throws IOException, InterruptedException;
  }

  /** What one side of a connection does. */
  private interface Side {
    void run(SocketChannel socket) throws IOException;
  }

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
      paths.server.shutdown();
    } finally {
      Files.delete(path);
    }
  }

  private double cpuMs(Way way) throws IOException, InterruptedException {
    long before = cpuNs();
    way.move();
    double gib = blocks * BLOCK_BYTES / (double) (1 << 30);
    return (cpuNs() - before) / NS_PER_MS / gib;
  }

  private static long cpuNs() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
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
    connect(
        client -> {
          for (long i = 0; i < blocks; i++) {
            writeAll(client, ByteBuffer.wrap(block));
          }
        },
        socket -> {
          ByteBuffer arrived = ByteBuffer.allocateDirect(BLOCK_BYTES);
          for (long i = 0; i < blocks; i++) {
            readAll(socket, arrived.clear());
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
    connect(
        client -> {
          ByteBuffer read = ByteBuffer.allocate(BLOCK_BYTES);
          for (long i = 0; i < blocks; i++) {
            readAll(client, read.clear());
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

  private void connect(Side client, Side accepted) throws IOException, InterruptedException {
    try (ServerSocketChannel listening = ServerSocketChannel.open()) {
      listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      Future<?> other =
          server.submit(
              () -> {
                try (SocketChannel socket = listening.accept()) {
                  accepted.run(socket);
                }
                return null;
              });
      try (SocketChannel socket = SocketChannel.open(listening.getLocalAddress())) {
        client.run(socket);
        other.get(DEADLINE_S, TimeUnit.SECONDS);
      } catch (ExecutionException | TimeoutException e) {
        throw new IOException("the other side has failed", e);
      }
    }
  }

  private static void writeAll(SocketChannel socket, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      socket.write(bytes);
    }
  }

  private static void readAll(SocketChannel socket, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      if (socket.read(bytes) < 0) {
        throw new EOFException("the other side has closed");
      }
    }
  }
}
