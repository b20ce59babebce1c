package dev.sailfish.benchmarks.qfs;

import dev.sailfish.chunksorter.ChunkSorter;
import dev.sailfish.chunksorter.SortResult;
import dev.sailfish.chunksorter.SorterConfig;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.Checksum;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.RecordCursor;
import dev.sailfish.format.RecordDescriptor;
import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.lineage.qfs.QfsClient;
import dev.sailfish.lineage.qfs.QfsSettings;
import dev.sailfish.lineage.qfs.append.AppendSettings;
import dev.sailfish.lineage.qfs.append.AppendedChunk;
import dev.sailfish.lineage.qfs.append.RecordAppendFile;
import dev.sailfish.lineage.qfs.append.RecordAppender;
import dev.sailfish.lineage.qfs.meta.ChunkInfo;
import dev.sailfish.lineage.qfs.meta.CreateOptions;
import dev.sailfish.lineage.qfs.read.QfsInput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * An I-file as a QFS file: blocks are appended to it with QFS's record append, its chunks made
 * stable, read back, and sorted here into our chunk format, one file each in a local directory.
 */
final class QfsContender implements Contender {
  private static final long SORTER_MEMORY = 256L << 20;
  private static final String JOB = "job_qfs";

  private final Arguments arguments;
  private final QfsClient client;
  private final ChunkSorter sorter =
      new ChunkSorter(new SorterConfig(SORTER_MEMORY, SorterConfig.MAX_SORTED_BLOCK_BYTES));
  private final ByteBuffer chunk = ByteBuffer.allocateDirect(ChunkHeader.LENGTH + ChunkInfo.BYTES);
  private ByteBuffer sorted = ByteBuffer.allocateDirect(ChunkInfo.BYTES);
  private RecordAppendFile file;

  QfsContender(Arguments arguments) throws IOException {
    this.arguments = arguments;
    client = QfsClient.connect(QfsSettings.of(arguments.metaserver()));
    Files.createDirectories(arguments.directory());
  }

  @Override
  public String name() {
    return "qfs-" + arguments.replicas();
  }

  @Override
  public Duration serverCpu() {
    Duration sum = Duration.ZERO;
    for (long pid : arguments.serverPids()) {
      sum = sum.plus(cpu(ProcessHandle.of(pid)));
    }
    return sum;
  }

  /** CPU time of a process; an error when it has ended. */
  static Duration cpu(Optional<ProcessHandle> process) {
    return process
        .flatMap(running -> running.info().totalCpuDuration())
        .orElseThrow(() -> new IllegalStateException("a server has ended: " + process));
  }

  private static String path(int round) {
    return "/sailfish-benchmark-" + ProcessHandle.current().pid() + "-" + round;
  }

  private synchronized RecordAppendFile file(int round) throws IOException {
    if (file == null) {
      client.meta().create(path(round), new CreateOptions(arguments.replicas(), 0644, false));
      file = RecordAppendFile.open(client, path(round), AppendSettings.DEFAULTS);
    }
    return file;
  }

  @Override
  public void append(int round, int map, byte[] all) throws IOException {
    RecordCursor cursor = new RecordCursor();
    cursor.reset(all, 0, all.length, false);
    byte[] block = new byte[arguments.blockBytes()];
    int end = BlockHeader.LENGTH;
    int count = 0;
    int sequence = 0;
    try (RecordAppender appender = file(round).newAppender()) {
      while (cursor.next()) {
        int length = cursor.keyLength() + cursor.valueLength();
        int header = RecordDescriptor.headerLength(cursor.keyLength(), cursor.valueLength());
        if (end + header + length > block.length) {
          appender.append(block(block, end, map, sequence++, count));
          end = BlockHeader.LENGTH;
          count = 0;
        }
        end = RecordDescriptor.putHeader(block, end, cursor.keyLength(), cursor.valueLength());
        System.arraycopy(all, cursor.keyOffset(), block, end, cursor.keyLength());
        end += cursor.keyLength();
        System.arraycopy(all, cursor.valueOffset(), block, end, cursor.valueLength());
        end += cursor.valueLength();
        count++;
      }
      appender.append(block(block, end, map, sequence, count));
    }
  }

  /** The block whose records are in the array, behind room for its header. */
  private static ByteBuffer block(byte[] bytes, int end, int map, int sequence, int records) {
    int length = end - BlockHeader.LENGTH;
    int checksum = Checksum.of(bytes, BlockHeader.LENGTH, length);
    ByteBuffer block = ByteBuffer.wrap(bytes, 0, end);
    new BlockHeader(CodecId.NONE, 0, 0, map, 0, sequence, records, length, length, checksum)
        .write(block, 0);
    return block;
  }

  @Override
  public void sort(int round) throws IOException {
    List<AppendedChunk> chunks = file(round).makeStable();
    try (QfsInput in = client.open(path(round))) {
      for (AppendedChunk stable : chunks) {
        if (stable.bytes() > 0) {
          sort(in, stable);
        }
      }
    }
  }

  private void sort(QfsInput in, AppendedChunk stable) throws IOException {
    long id = stable.offset() / ChunkInfo.BYTES + 1;
    int length = ChunkHeader.LENGTH + (int) stable.bytes();
    in.readFully(stable.offset(), chunk.clear().position(ChunkHeader.LENGTH).limit(length));
    chunk.clear();
    new ChunkHeader(JOB, 0, id, Ordering.NORMALIZED, CodecId.NONE).write(chunk);
    long room = ChunkSorter.maxSortedLength(chunk, length);
    if (sorted.capacity() < room) {
      sorted = ByteBuffer.allocateDirect((int) (room + room / Byte.SIZE));
    }
    SortResult result = sorter.sort(chunk, length, sorted.clear());
    Path target = arguments.directory().resolve("chunk-" + id);
    try (FileChannel out =
        FileChannel.open(
            target,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer bytes = sorted.position(0).limit(result.length());
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
    }
  }

  @Override
  public RecordCheck.Found finish(int round) throws IOException {
    file.close();
    file = null;
    client.meta().remove(path(round));
    RecordCheck check = new RecordCheck();
    try (DirectoryStream<Path> files = sortedChunks()) {
      for (Path sortedChunk : files) {
        check(Files.readAllBytes(sortedChunk), check);
      }
    }
    deleteSorted();
    return check.found();
  }

  /** Reads a sorted chunk as its index says. */
  private static void check(byte[] bytes, RecordCheck check) throws IOException {
    ByteBuffer chunk = ByteBuffer.wrap(bytes);
    ChunkTail tail = ChunkTail.read(chunk, bytes.length);
    RecordCursor cursor = new RecordCursor();
    for (int entry = 0; entry < tail.entries(); entry++) {
      int offset = Math.toIntExact(tail.entryOffset(entry));
      BlockHeader block = BlockHeader.read(chunk, offset, Math.toIntExact(tail.offset()));
      block.checkStored(bytes, offset + BlockHeader.LENGTH);
      cursor.reset(bytes, offset + BlockHeader.LENGTH, block.rawLength(), block.tagged());
      if (entry == 0 || tail.entryRun(entry) != tail.entryRun(entry - 1)) {
        check.beginRun();
      }
      while (cursor.next()) {
        check.add(bytes, cursor.keyOffset(), cursor.keyLength(), cursor.valueLength());
      }
    }
  }

  private DirectoryStream<Path> sortedChunks() throws IOException {
    return Files.newDirectoryStream(arguments.directory(), "chunk-*");
  }

  private void deleteSorted() throws IOException {
    try (DirectoryStream<Path> files = sortedChunks()) {
      for (Path sortedChunk : files) {
        Files.delete(sortedChunk);
      }
    }
  }

  @Override
  public void close() throws IOException {
    deleteSorted();
    Files.delete(arguments.directory());
    client.close();
  }
}
