package dev.sailfish.imerger.merge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.Checksum;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.RecordDescriptor;
import dev.sailfish.format.Varint;
import dev.sailfish.imerger.ImergerConfig;
import dev.sailfish.imerger.fetch.MetaserverCalls;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Run files that are flipped, cut or longer than they were: good records, then an error. */
@Seeded
class SpilledRunFuzzTest {
  private static final int ROUNDS = Integer.getInteger("sailfish.rounds", 2000);
  private static final int BLOCKS = 4;

  @TempDir private Path directory;

  /** A run file and what is in it. */
  private record Run(byte[] bytes, List<String> records, int longestBlock) {}

  private static Run run(SplittableRandom random) {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    List<String> records = new ArrayList<>();
    int longest = 0;
    for (int sequence = 0; sequence < BLOCKS; sequence++) {
      byte[] raw = new byte[20_000];
      int end = 0;
      int count = 1 + random.nextInt(40);
      for (int i = 0; i < count; i++) {
        byte[] key = TestBytes.random(random, random.nextInt(20));
        byte[] value = TestBytes.random(random, random.nextInt(400));
        end = Varint.put(raw, end, i);
        end = RecordDescriptor.putHeader(raw, end, key.length, value.length);
        System.arraycopy(key, 0, raw, end, key.length);
        System.arraycopy(value, 0, raw, end + key.length, value.length);
        end += key.length + value.length;
        records.add(i + Arrays.toString(key) + Arrays.toString(value));
      }
      BlockHeader header =
          new BlockHeader(
              CodecId.NONE,
              BlockHeader.FLAG_SORTED | BlockHeader.FLAG_TAGGED,
              0,
              BlockHeader.NO_MAP,
              BlockHeader.NO_MAP,
              sequence,
              count,
              end,
              end,
              Checksum.of(raw, 0, end));
      ByteBuffer head = ByteBuffer.allocate(BlockHeader.LENGTH);
      header.write(head, 0);
      file.writeBytes(head.array());
      file.write(raw, 0, end);
      longest = Math.max(longest, header.blockLength());
    }
    return new Run(file.toByteArray(), records, longest);
  }

  private static byte[] damaged(byte[] good, SplittableRandom random) {
    int length =
        switch (random.nextInt(3)) {
          case 0 -> random.nextInt(good.length);
          case 1 -> good.length + 1 + random.nextInt(100);
          default -> good.length;
        };
    byte[] bytes = Arrays.copyOf(good, length);
    if (length >= good.length) {
      for (int i = random.nextInt(5); i >= 0; i--) {
        bytes[random.nextInt(length)] ^= (byte) (1 + random.nextInt(255));
      }
    }
    return bytes;
  }

  @Test
  void goodRecordsThenAnError(SplittableRandom random) throws IOException {
    ImergerConfig config =
        new ImergerConfig(
            new InetSocketAddress("127.0.0.1", 1), 1 << 20, directory, Duration.ofSeconds(1));
    int errors = 0;
    for (int round = 0; round < ROUNDS; round++) {
      Run run = run(random);
      byte[] bytes = random.nextInt(10) == 0 ? run.bytes : damaged(run.bytes, random);
      List<String> read = new ArrayList<>();
      try {
        read(config, run, bytes, read);
        assertThat(bytes.length).isLessThanOrEqualTo(run.bytes.length);
      } catch (IOException e) {
        errors++;
        assertThat(e).hasMessageContaining("run file=");
      }
      assertThat(read).isEqualTo(run.records.subList(0, read.size()));
      assertThat(bytes != run.bytes || read.size() == run.records.size()).isTrue();
    }
    assertThat(errors).isBetween(1, ROUNDS - 1);
  }

  private void read(ImergerConfig config, Run run, byte[] bytes, List<String> read)
      throws IOException {
    Path path = directory.resolve("run");
    Files.write(path, bytes);
    FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
    BlockDecoder decoder =
        new BlockDecoder(new MetaserverCalls(config, "job_1_1", 0, "test"), config.memoryBytes());
    SpilledRun spilled = new SpilledRun(decoder, path, channel, bytes.length, run.longestBlock);
    try {
      spilled.open(List.of(spilled), 0, 1);
      while (spilled.advance()) {
        byte[] in = spilled.buffer();
        int key = spilled.keyOffset();
        int value = spilled.valueOffset();
        read.add(
            spilled.rank()
                + Arrays.toString(Arrays.copyOfRange(in, key, key + spilled.keyLength()))
                + Arrays.toString(Arrays.copyOfRange(in, value, value + spilled.valueLength())));
      }
    } finally {
      spilled.release();
    }
    assertThat(decoder.heldBytes()).isZero();
  }
}
