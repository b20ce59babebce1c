package dev.sailfish.imerger;

import dev.sailfish.codec.BlockCompression;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.Checksum;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.RecordDescriptor;
import dev.sailfish.format.RunDescriptor;
import dev.sailfish.format.Varint;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.format.tail.ChunkTailWriter;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Writes a sorted chunk the plain way. */
final class ChunkFile {
  private final KeyOrder order;
  private final CodecId codec;
  private final ChunkTailWriter tail;
  private final ByteArrayOutputStream file = new ByteArrayOutputStream();

  /** A record on its way into a run. */
  private record Tagged(int source, byte[] key, byte[] value) {}

  ChunkFile(KeyOrder order, CodecId codec, long chunk) {
    this.order = order;
    this.codec = codec;
    tail = new ChunkTailWriter(order.ordering());
    ByteBuffer header = ByteBuffer.allocate(ChunkHeader.LENGTH);
    new ChunkHeader(Partition.JOB, Partition.NUMBER, chunk, order.ordering(), codec).write(header);
    file.writeBytes(header.array());
  }

  static byte[] normalized(KeyOrder order, byte[] key) {
    byte[] copy = key.clone();
    int stripped = order.encoding().normalize(copy, 0, copy.length);
    return Arrays.copyOfRange(copy, stripped, copy.length);
  }

  /** The file with these blocks in source order, sorted as {@code runs} runs. */
  byte[] write(List<Partition.Block> blocks, int runs, int sortedBlockBytes) {
    for (Partition.Block block : blocks) {
      tail.addSource(appendedHeader(block, raw(block), null));
    }
    if (order.ordering() == Ordering.COMPARATOR) {
      for (int i = 0; i < blocks.size(); i++) {
        putAppended(i, blocks.get(i), sortedBlockBytes);
      }
    } else {
      for (int run = 0; run < Math.min(runs, blocks.size()); run++) {
        putRun(run, Math.min(runs, blocks.size()), blocks, sortedBlockBytes);
      }
    }
    byte[] body = file.toByteArray();
    ByteBuffer whole = ByteBuffer.allocate(body.length + tail.length());
    whole.put(body);
    tail.write(whole, body.length);
    return whole.array();
  }

  private BlockHeader appendedHeader(Partition.Block block, byte[] raw, byte[] stored) {
    boolean sorted = order.ordering() == Ordering.COMPARATOR;
    return new BlockHeader(
        codec,
        sorted ? BlockHeader.FLAG_SORTED : 0,
        Partition.NUMBER,
        block.map(),
        block.attempt(),
        block.sequence(),
        block.items().size(),
        raw.length,
        stored == null ? raw.length : stored.length,
        stored == null ? 0 : Checksum.of(stored, 0, stored.length));
  }

  private byte[] raw(Partition.Block block) {
    ByteArrayOutputStream raw = new ByteArrayOutputStream();
    for (Partition.Item item : block.items()) {
      putRecord(raw, -1, normalized(order, item.key()), item.value());
    }
    return raw.toByteArray();
  }

  private static void putRecord(ByteArrayOutputStream raw, int source, byte[] key, byte[] value) {
    byte[] header = new byte[RecordDescriptor.MAX_TAGGED_HEADER_LENGTH];
    int length = source < 0 ? 0 : Varint.put(header, 0, source);
    length = RecordDescriptor.putHeader(header, length, key.length, value.length);
    raw.write(header, 0, length);
    raw.writeBytes(key);
    raw.writeBytes(value);
  }

  private byte[] compress(byte[] raw) {
    if (codec == CodecId.NONE) {
      return raw;
    }
    BlockCompression compression = BlockCompression.of(codec);
    byte[] out = new byte[compression.maxCompressedLength(raw.length)];
    return Arrays.copyOf(out, compression.compress(raw, 0, raw.length, out, 0));
  }

  /** Two blocks of three are runs; of the others servers know the key if they see it. */
  private void putAppended(int source, Partition.Block block, int blockBytes) {
    if (block.sequence() % 3 == 1 || block.items().isEmpty()) {
      byte[] raw = raw(block);
      byte[] stored = compress(raw);
      boolean known = codec == CodecId.NONE && !block.items().isEmpty();
      byte[] key = known ? block.items().get(0).key() : null;
      putBlock(source, appendedHeader(block, raw, stored), stored, key);
      return;
    }
    int at = file.size() + BlockHeader.LENGTH;
    ByteArrayOutputStream run = new ByteArrayOutputStream();
    List<Partition.Item> items = block.items();
    for (int from = 0, end; from < items.size(); from = end) {
      end = from + 1;
      while (end < items.size() && raw(part(block, from, end + 1)).length <= blockBytes) {
        end++;
      }
      byte[] raw = raw(part(block, from, end));
      byte[] stored = compress(raw);
      BlockHeader header = appendedHeader(part(block, from, end), raw, stored);
      byte[] key = items.get(from).key();
      int length = Math.min(key.length, RunDescriptor.MAX_KEY_LENGTH);
      run.writeBytes(ByteBuffer.allocate(Short.BYTES).putShort((short) length).array());
      run.write(key, 0, length);
      tail.addEntry(source, at + run.size(), header, key, key.length);
      ByteBuffer bytes = ByteBuffer.allocate(BlockHeader.LENGTH);
      header.write(bytes, 0);
      run.writeBytes(bytes.array());
      run.writeBytes(stored);
    }
    ByteBuffer bytes = ByteBuffer.allocate(BlockHeader.LENGTH);
    runHeader(block, run.toByteArray()).write(bytes, 0);
    file.writeBytes(bytes.array());
    file.writeBytes(run.toByteArray());
  }

  private static Partition.Block part(Partition.Block block, int from, int to) {
    return new Partition.Block(
        block.map(), block.attempt(), block.sequence(), block.items().subList(from, to));
  }

  private BlockHeader runHeader(Partition.Block block, byte[] run) {
    return new BlockHeader(
        CodecId.NONE,
        BlockHeader.FLAG_SORTED | BlockHeader.FLAG_RUN,
        Partition.NUMBER,
        block.map(),
        block.attempt(),
        block.sequence(),
        block.items().size(),
        raw(block).length,
        run.length,
        Checksum.of(run, 0, run.length));
  }

  private void putBlock(int run, BlockHeader header, byte[] stored, byte[] firstKey) {
    int keyLength = firstKey == null ? RunDescriptor.NO_KEY : firstKey.length;
    tail.addEntry(run, file.size(), header, firstKey == null ? new byte[0] : firstKey, keyLength);
    ByteBuffer bytes = ByteBuffer.allocate(BlockHeader.LENGTH);
    header.write(bytes, 0);
    file.writeBytes(bytes.array());
    file.writeBytes(stored);
  }

  private void putRun(int run, int runs, List<Partition.Block> blocks, int blockBytes) {
    List<Tagged> records = new ArrayList<>();
    for (int source = run; source < blocks.size(); source += runs) {
      for (Partition.Item item : blocks.get(source).items()) {
        records.add(new Tagged(source, normalized(order, item.key()), item.value()));
      }
    }
    records.sort((left, right) -> Arrays.compareUnsigned(left.key, right.key));
    int sequence = 0;
    int from = 0;
    while (from < records.size()) {
      ByteArrayOutputStream raw = new ByteArrayOutputStream();
      int end = from;
      while (end < records.size() && (end == from || raw.size() < blockBytes)) {
        Tagged record = records.get(end++);
        putRecord(raw, record.source, record.key, record.value);
      }
      byte[] bytes = raw.toByteArray();
      byte[] stored = compress(bytes);
      BlockHeader header =
          new BlockHeader(
              codec,
              BlockHeader.FLAG_SORTED | BlockHeader.FLAG_TAGGED,
              Partition.NUMBER,
              BlockHeader.NO_MAP,
              BlockHeader.NO_MAP,
              sequence++,
              end - from,
              bytes.length,
              stored.length,
              Checksum.of(stored, 0, stored.length));
      putBlock(run, header, stored, records.get(from).key);
      from = end;
    }
  }
}
