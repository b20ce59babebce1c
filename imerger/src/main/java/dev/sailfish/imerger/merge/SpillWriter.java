package dev.sailfish.imerger.merge;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.Checksum;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.RecordDescriptor;
import dev.sailfish.format.Varint;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * Writes one merged run to a local file: tagged blocks as in a sorted chunk, back to back, but the
 * tag of a record is its rank, and encrypted if the job is. The file has no name any more as soon
 * as the operating system allows it and is gone with its channel at the latest.
 */
final class SpillWriter implements Closeable {
  /** Length of a block, unless a record is longer. */
  static final int BLOCK_BYTES = 64 << 10;

  /** Largest piece that is written at once: the JDK copies every piece to memory of its own. */
  static final int PIECE_BYTES = 128 << 10;

  private final BlockDecoder decoder;
  private final Path path;
  private final FileChannel channel;
  private final byte[] block = new byte[BLOCK_BYTES];
  private final byte[] encrypted;
  private final CRC32C crc = new CRC32C();
  private int length = BlockHeader.LENGTH;
  private int records;
  private int sequence;
  private int longestBlock;
  private long written;
  private boolean finished;

  private SpillWriter(BlockDecoder decoder, Path path, FileChannel channel) {
    this.decoder = decoder;
    this.path = path;
    this.channel = channel;
    encrypted = new byte[memoryBytes(decoder) - BLOCK_BYTES];
  }

  /** What a writer takes. */
  static int memoryBytes(BlockDecoder decoder) {
    return decoder.encrypted() ? 2 * BLOCK_BYTES + BlockHeader.ENCRYPTION_OVERHEAD : BLOCK_BYTES;
  }

  /**
   * Opens a new file, in a directory that is made when it is not there.
   *
   * @param decoder knows whether and with what key to encrypt, and reads the run back
   * @param run number of the run among those of the merge
   */
  static SpillWriter open(Path directory, BlockDecoder decoder, int run) throws IOException {
    Files.createDirectories(directory);
    String name = "imerger-p" + decoder.partition() + "-" + run + "-";
    for (int i = 0; ; i++) {
      Path path = directory.resolve(name + i + ".run");
      try {
        FileChannel channel =
            FileChannel.open(
                path,
                Set.of(
                    StandardOpenOption.CREATE_NEW,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.DELETE_ON_CLOSE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return new SpillWriter(decoder, path, channel);
      } catch (FileAlreadyExistsException e) {
        if (i == Short.MAX_VALUE) {
          throw e;
        }
      }
    }
  }

  /** Appends the current record of a run. */
  void append(RunCursor record) throws IOException {
    int keyLength = record.keyLength();
    int valueLength = record.valueLength();
    long recordLength =
        (long) Varint.length(record.rank())
            + RecordDescriptor.headerLength(keyLength, valueLength)
            + keyLength
            + valueLength;
    if (length + recordLength > block.length) {
      flush(0, null);
    }
    int position = Varint.put(block, length, record.rank());
    position = RecordDescriptor.putHeader(block, position, keyLength, valueLength);
    records++;
    if (length + recordLength > block.length) {
      length = position;
      flush(keyLength + valueLength, record);
      return;
    }
    System.arraycopy(record.buffer(), record.keyOffset(), block, position, keyLength + valueLength);
    length = position + keyLength + valueLength;
  }

  /**
   * Writes the block out.
   *
   * @param more bytes of the block that are not in it but in {@code last}, from its key on
   */
  private void flush(int more, RunCursor last) throws IOException {
    if (records == 0) {
      return;
    }
    int rawLength = Math.addExact(length - BlockHeader.LENGTH, more);
    long begin = written;
    if (decoder.encrypted()) {
      writeEncrypted(rawLength, more, last);
    } else {
      writePlain(rawLength, more, last);
    }
    longestBlock = Math.max(longestBlock, Math.toIntExact(written - begin));
    length = BlockHeader.LENGTH;
    records = 0;
  }

  private void writePlain(int rawLength, int more, RunCursor last) throws IOException {
    crc.reset();
    crc.update(block, BlockHeader.LENGTH, length - BlockHeader.LENGTH);
    if (more > 0) {
      crc.update(last.buffer(), last.keyOffset(), more);
    }
    header(0, rawLength)
        .withStored(rawLength, (int) crc.getValue())
        .write(ByteBuffer.wrap(block), 0);
    write(block, 0, length);
    if (more > 0) {
      write(last.buffer(), last.keyOffset(), more);
    }
  }

  /**
   * A record that is longer than a block is put together first, which takes as much memory again.
   */
  private void writeEncrypted(int rawLength, int more, RunCursor last) throws IOException {
    byte[] plain = block;
    byte[] stored = encrypted;
    if (more > 0) {
      plain = Arrays.copyOf(block, BlockHeader.LENGTH + rawLength);
      System.arraycopy(last.buffer(), last.keyOffset(), plain, length, more);
      stored = new byte[plain.length + BlockHeader.ENCRYPTION_OVERHEAD];
    }
    BlockHeader header = header(BlockHeader.FLAG_ENCRYPTED, rawLength);
    ByteBuffer out = ByteBuffer.wrap(stored);
    int storedLength =
        decoder
            .cipher()
            .ofBlock(header, 0, written)
            .encrypt(
                ByteBuffer.wrap(plain), BlockHeader.LENGTH, rawLength, out, BlockHeader.LENGTH);
    int checksum = Checksum.of(stored, BlockHeader.LENGTH, storedLength);
    header.withStored(storedLength, checksum).write(out, 0);
    write(stored, 0, BlockHeader.LENGTH + storedLength);
  }

  private BlockHeader header(int encryption, int rawLength) {
    return new BlockHeader(
        CodecId.NONE,
        BlockHeader.FLAG_SORTED | BlockHeader.FLAG_TAGGED | encryption,
        decoder.partition(),
        BlockHeader.NO_MAP,
        BlockHeader.NO_MAP,
        sequence++,
        records,
        rawLength,
        0,
        0);
  }

  private void write(byte[] bytes, int offset, int count) throws IOException {
    int end = offset + count;
    for (int from = offset; from < end; from += PIECE_BYTES) {
      ByteBuffer piece = ByteBuffer.wrap(bytes, from, Math.min(PIECE_BYTES, end - from));
      try {
        while (piece.hasRemaining()) {
          channel.write(piece);
        }
      } catch (IOException e) {
        throw new IOException(
            "cannot write run file=%s at offset=%s length=%s: %s"
                .formatted(path, written, count, e.getMessage()),
            e);
      }
    }
    written += count;
  }

  /** Bytes written so far. */
  long written() {
    return written;
  }

  /** Ends the run; the file belongs to the run that is returned. */
  SpilledRun finish() throws IOException {
    flush(0, null);
    finished = true;
    return new SpilledRun(decoder, path, channel, written, longestBlock);
  }

  /** Gives up, unless the run was finished: the file goes away. */
  @Override
  public void close() throws IOException {
    if (!finished) {
      channel.close();
    }
  }
}
