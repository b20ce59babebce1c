package dev.sailfish.benchmarks.chunkserver;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * What no shuffle of sorted records can do without on this machine, CPU seconds for 1 GB (10^9
 * bytes) of 100-byte records in 8 chunks, by code that does nothing else:
 *
 * <ul>
 *   <li>order: a 42-bit prefix of each key, with the record's number, through four passes of a
 *       radix sort of 11 bits each;
 *   <li>gather: the records copied in that order;
 *   <li>write, read: once into pages of a file that are there already, and out of them;
 *   <li>socket: once over loopback TCP, both sides.
 * </ul>
 *
 * <p>Arguments: rounds, a directory for a file of 125 MB.
 */
public final class PhysicalFloor {
  private static final int RECORD = 100;
  private static final int RECORDS = 1_250_000;
  private static final int CHUNKS = 8;
  private static final int BLOCK_BYTES = 250_000;
  private static final int NUMBER_BITS = 22;
  private static final int DIGIT_BITS = 11;
  private static final int DIGITS = 1 << DIGIT_BITS;

  private final byte[] records = new byte[RECORDS * RECORD];
  private final byte[] gathered = new byte[RECORDS * RECORD];
  private final ByteBuffer keys = ByteBuffer.wrap(records);
  private final long[] order = new long[RECORDS];
  private final long[] other = new long[RECORDS];
  private final ByteBuffer block = ByteBuffer.allocateDirect(BLOCK_BYTES);
  private final FileChannel file;

  private PhysicalFloor(FileChannel file) throws IOException {
    this.file = file;
    new SplittableRandom(1).nextBytes(records);
    write();
  }

  /** Measures and prints. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    Path path = Path.of(arguments[1]).resolve("physical-floor");
    try (Loopback loopback = new Loopback();
        FileChannel file =
            FileChannel.open(
                path,
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
      PhysicalFloor floor = new PhysicalFloor(file);
      for (int round = 0; round < Integer.parseInt(arguments[0]); round++) {
        double order = perGb(floor::order);
        double gather = perGb(floor::gather);
        double write = perGb(floor::write);
        double read = perGb(floor::read);
        double socket = perGb(() -> floor.send(loopback));
        System.out.printf(
            "CPU s per GB: order %.2f, gather %.2f, write %.2f, read %.2f, socket %.2f; all %.2f%n",
            order, gather, write, read, socket, order + gather + write + read + socket);
      }
    } finally {
      Files.delete(path);
    }
  }

  private static double perGb(ProcessCpu.Work ofOneChunk) throws IOException, InterruptedException {
    return ProcessCpu.seconds(
        () -> {
          for (int chunk = 0; chunk < CHUNKS; chunk++) {
            ofOneChunk.run();
          }
        });
  }

  private void order() {
    for (int i = 0; i < RECORDS; i++) {
      order[i] = keys.getLong(i * RECORD) >>> NUMBER_BITS << NUMBER_BITS | i;
    }
    long[] from = order;
    long[] to = other;
    for (int shift = NUMBER_BITS; shift < Long.SIZE; shift += DIGIT_BITS) {
      int[] ends = new int[DIGITS];
      for (long pair : from) {
        ends[digit(pair, shift)]++;
      }
      Arrays.parallelPrefix(ends, Integer::sum);
      for (int i = RECORDS - 1; i >= 0; i--) {
        to[--ends[digit(from[i], shift)]] = from[i];
      }
      long[] sorted = to;
      to = from;
      from = sorted;
    }
  }

  private static int digit(long pair, int shift) {
    return (int) (pair >>> shift) & (DIGITS - 1);
  }

  /** After four passes the order is where it began. */
  private void gather() {
    int mask = (1 << NUMBER_BITS) - 1;
    for (int i = 0; i < RECORDS; i++) {
      int record = (int) order[i] & mask;
      System.arraycopy(records, record * RECORD, gathered, i * RECORD, RECORD);
    }
  }

  private void write() throws IOException {
    for (int at = 0; at < gathered.length; at += BLOCK_BYTES) {
      block.clear().put(gathered, at, BLOCK_BYTES).flip();
      while (block.hasRemaining()) {
        file.write(block, at + (long) block.position());
      }
    }
  }

  private void read() throws IOException {
    for (int at = 0; at < gathered.length; at += BLOCK_BYTES) {
      block.clear();
      while (block.hasRemaining()) {
        file.read(block, at + (long) block.position());
      }
      block.flip().get(gathered, at, BLOCK_BYTES);
    }
  }

  private void send(Loopback loopback) throws IOException, InterruptedException {
    loopback.connect(
        client -> {
          for (int at = 0; at < records.length; at += BLOCK_BYTES) {
            Loopback.writeAll(client, ByteBuffer.wrap(records, at, BLOCK_BYTES));
          }
        },
        socket -> {
          for (int at = 0; at < records.length; at += BLOCK_BYTES) {
            Loopback.readAll(socket, block.clear());
            block.flip().get(gathered, at, BLOCK_BYTES);
          }
        });
  }
}
