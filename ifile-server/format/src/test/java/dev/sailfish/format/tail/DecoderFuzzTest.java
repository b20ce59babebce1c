package dev.sailfish.format.tail;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.BufferRecordCursor;
import dev.sailfish.format.Checksum;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.RecordCursor;
import dev.sailfish.format.RunDescriptor;
import dev.sailfish.format.Varint;
import dev.sailfish.format.order.KeyEncoding;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Every decoder takes bytes that are random, or good ones with a few changed, and either refuses
 * them with its own error or gives something whose bounds hold. Checksums are made right again
 * after the change, so that what is behind them is tested too. Repeat a run with {@code
 * -Dsailfish.seed=N}; {@code -Dsailfish.rounds=N} makes it longer.
 */
class DecoderFuzzTest {
  private static final int ROUNDS = Integer.getInteger("sailfish.rounds", 100_000);
  private static final int MARGIN = 16;

  private final long seed = Long.getLong("sailfish.seed", System.nanoTime());
  private final SplittableRandom random = new SplittableRandom(seed);

  DecoderFuzzTest() {
    System.out.println("DecoderFuzzTest seed=" + seed + " rounds=" + ROUNDS);
  }

  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  /** Changes a few bytes between {@code from} and {@code to}. */
  private void damage(byte[] bytes, int from, int to) {
    for (int i = random.nextInt(4); i >= 0; i--) {
      int at = from + random.nextInt(to - from);
      bytes[at] =
          switch (random.nextInt(4)) {
            case 0 -> 0;
            case 1 -> -1;
            case 2 -> (byte) (bytes[at] ^ 1 << random.nextInt(8));
            default -> (byte) random.nextInt();
          };
    }
  }

  // ---- varint and records
  // ------------------------------------------------------------------------

  @Test
  void varintsAreRefusedOrWrittenTheSameWayAgain() {
    for (int round = 0; round < ROUNDS; round++) {
      byte[] bytes = bytes(random.nextInt(8));
      int limit = random.nextInt(bytes.length + 1);
      int offset = random.nextInt(limit + 1);
      int value = Varint.get(bytes, offset, limit);
      assertThat(Varint.get(ByteBuffer.wrap(bytes), offset, limit)).isEqualTo(value);
      if (value != Varint.MALFORMED) {
        assertThat(value).as("seed=%d round=%d", seed, round).isNotNegative();
        byte[] again = new byte[Varint.MAX_LENGTH];
        int length = Varint.put(again, 0, value);
        assertThat(offset + length).isLessThanOrEqualTo(limit);
        assertThat(Arrays.equals(again, 0, length, bytes, offset, offset + length)).isTrue();
      }
    }
  }

  private byte[] records() {
    byte[] good = SampleChunk.records(random.nextInt(6), random.nextInt(100));
    if (good.length > 0 && random.nextInt(8) > 0) {
      damage(good, 0, good.length);
    }
    return random.nextInt(4) == 0 ? bytes(random.nextInt(60)) : good;
  }

  /** Key and value of each record; the last one is the error, if there was any. */
  private static List<String> walk(byte[] bytes, int offset, int length, boolean tagged) {
    List<String> seen = new ArrayList<>();
    RecordCursor cursor = new RecordCursor();
    cursor.reset(bytes, offset, length, tagged);
    try {
      while (cursor.next()) {
        assertThat(cursor.keyOffset()).isGreaterThan(offset);
        assertThat(cursor.keyLength()).isNotNegative();
        assertThat(cursor.valueLength()).isNotNegative();
        assertThat(cursor.valueOffset() + cursor.valueLength())
            .isLessThanOrEqualTo(offset + length);
        seen.add(cursor.keyOffset() + "+" + cursor.keyLength() + "+" + cursor.valueLength());
        assertThat(seen.size()).isLessThanOrEqualTo(length / 2);
      }
    } catch (CorruptFormatException e) {
      assertThat(e).hasMessageContaining("offset=");
      seen.add("error");
    }
    return seen;
  }

  private static List<String> walkBuffer(ByteBuffer bytes, int offset, int length) {
    List<String> seen = new ArrayList<>();
    BufferRecordCursor cursor = new BufferRecordCursor();
    cursor.reset(bytes, offset, length);
    try {
      while (cursor.next()) {
        seen.add(cursor.keyOffset() + "+" + cursor.keyLength() + "+" + cursor.valueLength());
        assertThat(cursor.start() + cursor.length()).isLessThanOrEqualTo(offset + length);
      }
    } catch (CorruptFormatException e) {
      seen.add("error");
    }
    return seen;
  }

  @Test
  void bothCursorsSeeTheSameAndStayInsideOfTheBlock() {
    for (int round = 0; round < ROUNDS; round++) {
      byte[] block = records();
      byte[] around = bytes(block.length + 2 * MARGIN);
      System.arraycopy(block, 0, around, MARGIN, block.length);
      List<String> seen = walk(around, MARGIN, block.length, false);
      assertThat(walkBuffer(ByteBuffer.wrap(around), MARGIN, block.length))
          .as("seed=%d round=%d", seed, round)
          .isEqualTo(seen);
      walk(around, MARGIN, block.length, true);
    }
  }

  // ---- headers
  // -----------------------------------------------------------------------------------

  @Test
  void blockHeadersAreRefusedOrInBounds() {
    byte[] raw = SampleChunk.records(3, 0);
    int good = 0;
    for (int round = 0; round < ROUNDS; round++) {
      ByteBuffer buffer = ByteBuffer.allocate(BlockHeader.LENGTH);
      SampleChunk.header(raw, 3, 7, 1).write(buffer, 0);
      damage(buffer.array(), 0, BlockHeader.LENGTH - Integer.BYTES);
      seal(buffer, 0, BlockHeader.LENGTH);
      try {
        BlockHeader header = BlockHeader.read(buffer, 0, BlockHeader.LENGTH);
        assertThat(header.rawLength()).isBetween(0, BlockHeader.MAX_LENGTH);
        assertThat(header.storedLength() - header.encryptionOverhead())
            .isBetween(0, BlockHeader.MAX_LENGTH);
        assertThat(header.records()).isBetween(0, header.rawLength() / 2);
        assertThat(header.partition()).isNotNegative();
        assertThat(header.sequence()).isNotNegative();
        good++;
      } catch (FormatException e) {
        assertThat(e).hasMessageContaining("=");
      }
    }
    assertThat(good).as("headers that were taken, seed=%d", seed).isBetween(1, ROUNDS - 1);
  }

  @Test
  void chunkHeadersAreRefusedOrInBounds() {
    for (int round = 0; round < ROUNDS; round++) {
      ByteBuffer buffer = ByteBuffer.allocate(ChunkHeader.LENGTH);
      new ChunkHeader(SampleChunk.JOB, 3, 9, Ordering.COMPARATOR, CodecId.ZSTD).write(buffer);
      damage(buffer.array(), 0, ChunkHeader.LENGTH - Integer.BYTES);
      seal(buffer, 0, ChunkHeader.LENGTH);
      try {
        ChunkHeader header = ChunkHeader.read(buffer, ChunkHeader.LENGTH);
        assertThat(header.job().length()).isLessThanOrEqualTo(ChunkHeader.MAX_JOB_LENGTH);
      } catch (FormatException e) {
        assertThat(e).hasMessageContaining("=");
      }
    }
  }

  /** Makes the checksum at the end of a structure right. */
  private static void seal(ByteBuffer buffer, int start, int length) {
    int at = start + length - Integer.BYTES;
    buffer.putInt(at, Checksum.of(buffer, start, length - Integer.BYTES));
  }

  // ---- tail
  // --------------------------------------------------------------------------------------

  @Test
  void tailsAreRefusedOrInBounds() throws FormatException {
    checkTails(SampleChunk.sorted());
    checkTails(SampleChunk.indexed());
  }

  private void checkTails(byte[] chunk) throws FormatException {
    int at = ChunkTail.locate(ByteBuffer.wrap(chunk), chunk.length);
    byte[] tail = Arrays.copyOfRange(chunk, at, chunk.length);
    int footer = tail.length - ChunkTail.FOOTER_LENGTH;
    int sources = ByteBuffer.wrap(tail).getInt(footer + 24);
    int good = 0;
    for (int round = 0; round < ROUNDS; round++) {
      byte[] damaged = tail.clone();
      int from = random.nextInt(4) == 0 ? footer : 0;
      damage(damaged, from, damaged.length);
      ByteBuffer buffer = ByteBuffer.wrap(damaged);
      seal(buffer, 0, sources);
      seal(buffer, sources, footer - sources);
      seal(buffer, footer, ChunkTail.FOOTER_LENGTH);
      int length = random.nextInt(10) == 0 ? random.nextInt(damaged.length) : damaged.length;
      try {
        checkTail(ChunkTail.parse(buffer, length), tail.length);
        good++;
      } catch (FormatException e) {
        assertThat(e).hasMessageContaining("=");
      }
    }
    assertThat(good).as("tails that were taken, seed=%d", seed).isBetween(1, ROUNDS - 1);
  }

  private static void checkTail(ChunkTail tail, int length) {
    assertThat(tail.sources()).isBetween(0, length);
    assertThat(tail.entries()).isBetween(0, length);
    assertThat(tail.runs()).isBetween(0, Math.max(1, tail.entries()));
    int run = 0;
    for (int entry = 0; entry < tail.entries(); entry++) {
      assertThat(tail.entryRun(entry)).isBetween(run, tail.runs() - 1);
      run = tail.entryRun(entry);
      assertThat(tail.entryOffset(entry)).isGreaterThanOrEqualTo(ChunkHeader.LENGTH);
      assertThat(tail.entryOffset(entry) + tail.entryLength(entry))
          .isLessThanOrEqualTo(tail.offset());
      assertThat(tail.entryRecords(entry)).isNotNegative();
      assertThat(tail.entryRawLength(entry)).isNotNegative();
      byte[] key = tail.entryKey(entry);
      assertThat(key == null ? 0 : key.length).isLessThanOrEqualTo(RunDescriptor.MAX_KEY_LENGTH);
      assertThat(key != null || tail.ordering() == Ordering.COMPARATOR).isTrue();
    }
  }

  @Test
  void footersOfRandomFilesAreRefused() {
    for (int round = 0; round < ROUNDS; round++) {
      ByteBuffer file = ByteBuffer.wrap(bytes(random.nextInt(400)));
      try {
        int at = ChunkTail.locate(file, file.capacity());
        throw new AssertionError("random bytes have a tail: seed=" + seed + " at=" + at);
      } catch (FormatException e) {
        assertThat(e).hasMessageContaining("=");
      }
    }
  }

  // ---- keys
  // --------------------------------------------------------------------------------------

  @Test
  void keysAreRefusedOrComeBack() {
    for (KeyEncoding encoding : KeyEncoding.values()) {
      for (int round = 0; round < ROUNDS / 10; round++) {
        checkKey(encoding, round);
      }
    }
  }

  private void checkKey(KeyEncoding encoding, int round) {
    int length = random.nextInt(random.nextBoolean() ? 12 : 300);
    byte[] serialized = bytes(length);
    if (random.nextBoolean()) {
      plausible(encoding, serialized);
    }
    byte[] buffer = bytes(length + 2 * MARGIN);
    System.arraycopy(serialized, 0, buffer, MARGIN, length);
    byte[] before = buffer.clone();
    try {
      int stripped = encoding.normalize(buffer, MARGIN, length);
      assertThat(stripped).isBetween(0, KeyEncoding.MAX_PREFIX);
      int prefix = encoding.denormalize(buffer, MARGIN + stripped, length - stripped);
      assertThat(prefix).as("%s seed=%d round=%d", encoding, seed, round).isEqualTo(stripped);
      assertThat(buffer).as("%s seed=%d round=%d", encoding, seed, round).isEqualTo(before);
    } catch (IllegalArgumentException e) {
      assertThat(e).hasMessageContaining("length=" + length);
    }
    assertThat(Arrays.equals(buffer, 0, MARGIN, before, 0, MARGIN)).isTrue();
    int end = MARGIN + length;
    assertThat(Arrays.equals(buffer, end, buffer.length, before, end, before.length)).isTrue();
  }

  /** Makes the length at the front right, or nearly so. */
  private void plausible(KeyEncoding encoding, byte[] key) {
    int wrong = random.nextInt(4) == 0 ? random.nextInt(3) - 1 : 0;
    if (encoding == KeyEncoding.TEXT && key.length > 0) {
      key[0] = (byte) (key.length - 1 + wrong);
    }
    if (encoding == KeyEncoding.BYTES && key.length >= Integer.BYTES) {
      ByteBuffer.wrap(key).putInt(0, key.length - Integer.BYTES + wrong);
    }
  }
}
