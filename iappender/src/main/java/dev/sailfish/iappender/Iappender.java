package dev.sailfish.iappender;

import dev.sailfish.format.Ordering;
import dev.sailfish.iappender.BlockEncoder.EncodedBlock;
import dev.sailfish.protocol.wire.CommitManifestRequest;
import dev.sailfish.protocol.wire.CreateIfilesResponse;
import java.io.Closeable;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * Appends the records of one map attempt to the I-files of a job.
 *
 * <pre>{@code
 * try (Iappender appender = Iappender.open(config, spec, map, attempt)) {
 *   keySerializer.open(appender.output());
 *   valueSerializer.open(appender.output());
 *   // for each record
 *   appender.startRecord(partition);
 *   keySerializer.serialize(key);
 *   appender.endKey();
 *   valueSerializer.serialize(value);
 *   appender.endRecord();
 *   // once
 *   appender.commit();
 * }
 * }</pre>
 *
 * <p>A serializer that throws leaves a record open: call {@link #abandonRecord} and go on, or give
 * up. After an IOException of any method here but {@link #endKey} and the stream's, records may be
 * missing and the attempt cannot be committed any more.
 *
 * <p>Not thread-safe, and no thread of its own: sending and waiting for acknowledgements happen
 * inside {@link #endRecord}, {@link #append}, {@link #commit} and {@link #close}.
 */
public final class Iappender implements Closeable {
  private static final int START = PartitionBuffer.START;

  final MapAttempt attempt;
  private final int maps;
  private final long leaseMs;
  private final MetaserverLink metaserver;
  private final PartitionBuffers buffers;
  private final RecordAssembler assembler;
  private final BlockEncoder encoder;
  private final AppendWindow window;

  /** Null when blocks are not sorted here. */
  private final RunEncoder runs;

  /** Null without a combiner. */
  private final CombinedOutput combined;

  /** Null when an earlier attempt left nothing. */
  private final HeldPartitions held;

  private long records;
  private long serializedBytes;
  private boolean accepting = true;
  private boolean healthy = true;
  private boolean committed;
  private boolean closed;
  private IOException abortFailure;

  private Iappender(
      IappenderConfig config,
      IfileSpec spec,
      MetaserverLink metaserver,
      BlockCombiner combiner,
      CreateIfilesResponse job) {
    this.metaserver = metaserver;
    attempt = metaserver.attempt;
    maps = spec.maps();
    leaseMs = job.getLeaseMs();
    boolean comparator = spec.order().ordering() == Ordering.COMPARATOR;
    buffers = new PartitionBuffers(config, spec.partitions(), comparator || combiner != null);
    assembler = new RecordAssembler(buffers, spec.order().encoding());
    combined =
        combiner == null ? null : new CombinedOutput(this, combiner, assembler, spec.order());
    BufferPool pool = buffers.pool;
    encoder = new BlockEncoder(attempt, spec, pool, config.credentials(), job.getEncrypted());
    runs = comparator ? new RunEncoder(spec.order(), encoder, pool, job.getEncrypted()) : null;
    held = job.getHeldCount() == 0 ? null : new HeldPartitions(job, spec.partitions());
    ChunkBinder binder = new ChunkBinder(metaserver, config, spec, job);
    SilenceWatch watch = new SilenceWatch(metaserver, config);
    window = new AppendWindow(attempt, binder, watch, pool, config, spec.partitions());
  }

  /** Opens an iappender without a combiner; see the other {@code open}. */
  public static Iappender open(IappenderConfig config, IfileSpec spec, int map, int attempt)
      throws IOException {
    return open(config, spec, map, attempt, null);
  }

  /**
   * Creates the job's I-files, if no other task has, and opens an iappender on them.
   *
   * @param map ordinal of the map task
   * @param attempt number of the attempt
   * @param combiner reduces what is in a buffer before it is sent; null = none
   * @throws IOException within a few seconds when the metaserver cannot be reached
   */
  public static Iappender open(
      IappenderConfig config, IfileSpec spec, int map, int attempt, BlockCombiner combiner)
      throws IOException {
    MetaserverLink metaserver =
        MetaserverLink.open(config, new MapAttempt(spec.job(), map, attempt));
    boolean opened = false;
    try {
      CreateIfilesResponse response = metaserver.createIfiles(config, spec);
      Iappender appender = new Iappender(config, spec, metaserver, combiner, response);
      opened = true;
      return appender;
    } finally {
      if (!opened) {
        metaserver.close();
      }
    }
  }

  /**
   * The one stream that serializers are opened on. What is written goes to the open record; without
   * one, writing throws IllegalStateException. Flushing and closing it do nothing.
   */
  public DataOutputStream output() {
    return assembler;
  }

  /**
   * Begins a record; its serialized key is written next.
   *
   * @throws IOException when there is no such partition
   * @throws IllegalStateException when a record is open, or a combiner is at work
   */
  public void startRecord(int partition) throws IOException {
    if (partition < 0 || partition >= buffers.count()) {
      throw new IOException(
          "no such partition: partition=" + partition + " partitions=" + buffers.count());
    }
    if (!accepting) {
      throw new IllegalStateException(
          closed || committed
              ? "committed or closed before: " + attempt
              : "a combiner writes to its CombinedOutput");
    }
    PartitionBuffer buffer = buffers.existing(partition);
    if (buffer == null) {
      buffer = buffers.activate(partition);
      if (held == null || !held.contains(partition)) {
        window.expect(partition);
      }
    }
    assembler.start(buffer);
  }

  /**
   * The key is complete; the value is written next.
   *
   * @throws IOException when the key is not of the class that the job's order was chosen for
   */
  public void endKey() throws IOException {
    assembler.endKey();
  }

  /**
   * The record is complete. When that fills a buffer it is combined or sent; this waits while too
   * much is unacknowledged.
   *
   * @throws IOException when a block cannot be sent before the deadline, naming job, map, attempt,
   *     partition, chunk, server and the last error
   */
  public void endRecord() throws IOException {
    PartitionBuffer buffer = assembler.buffer;
    boolean inBuffer = assembler.endRecord();
    records++;
    serializedBytes += assembler.serializedLength;
    if (!inBuffer || buffers.full(buffer) || buffers.pressed()) {
      makeRoom(buffer, inBuffer);
    }
  }

  /**
   * Appends one serialized record; the arrays stay the caller's.
   *
   * @throws IOException as {@link #startRecord}, {@link #endKey} and {@link #endRecord}
   */
  public void append(
      int partition,
      byte[] key,
      int keyOffset,
      int keyLength,
      byte[] value,
      int valueOffset,
      int valueLength)
      throws IOException {
    startRecord(partition);
    assembler.write(key, keyOffset, keyLength);
    assembler.endKey();
    assembler.write(value, valueOffset, valueLength);
    endRecord();
  }

  /** Forgets the record that was started and not ended; nothing happens if there is none. */
  public void abandonRecord() {
    assembler.abandon();
  }

  private void makeRoom(PartitionBuffer buffer, boolean inBuffer) throws IOException {
    checkHealthy();
    healthy = false;
    if (!inBuffer) {
      place(buffer);
    }
    if (buffers.full(buffer)) {
      flush(buffer, !buffers.pressed());
    }
    while (buffers.pressed()) {
      relieve();
    }
    healthy = true;
  }

  private void checkHealthy() throws IOException {
    if (!healthy) {
      throw new IOException(
          "an earlier append failed, so records are missing and nothing more can be appended: "
              + attempt);
    }
  }

  /** Puts a record that did not fit behind the others where it belongs. */
  private void place(PartitionBuffer buffer) throws IOException {
    int length = assembler.ownLength;
    byte[] record = assembler.takeOwn();
    int recordBytes = assembler.recordBytes;
    long checksum = assembler.checksum;
    boolean small = length < buffers.limit / 2 - START;
    if (buffer.records > 0) {
      flush(buffer, small);
    }
    if (small) {
      buffers.append(buffer, record, START, length);
      buffer.recordBytes += recordBytes;
      buffer.checksum += checksum;
      assembler.giveOwn(record);
    } else if (!countHeld(buffer.partition, 1, recordBytes, checksum)) {
      int partition = buffer.partition;
      window.count(partition, 1, recordBytes, checksum);
      int sequence = window.nextSequence(partition, length);
      EncodedBlock block =
          runs == null
              ? encoder.encode(record, START, length)
              : runs.encode(record, START, length, partition, sequence);
      if (block.bytes() != record) {
        assembler.giveOwn(record);
      }
      submit(block, partition, sequence, 1);
    }
  }

  /** Sends the largest buffers, and those half as large, until half of the memory is free. */
  private void relieve() throws IOException {
    int enough = buffers.largest() / 2;
    for (int i = 0; i < buffers.count() && buffers.aboveHalf(); i++) {
      PartitionBuffer buffer = buffers.existing(i);
      if (buffer != null && (buffer.length() >= enough || buffer.records == 0)) {
        flush(buffer, false);
        buffer.filledBefore = false;
        buffers.release(buffer);
      }
    }
  }

  /**
   * Combines the buffer, if there is a combiner that has not seen all of it, and sends it.
   *
   * @param keep whether it may stay when combining made it small
   */
  private void flush(PartitionBuffer buffer, boolean keep) throws IOException {
    if (combined != null && !combined.isActive() && buffer.combined < buffer.records) {
      accepting = false;
      try {
        buffers.replace(buffer, combined.combine(buffer));
      } finally {
        accepting = true;
      }
      if (keep && buffers.belowHalf(buffer)) {
        return;
      }
    }
    send(buffer);
  }

  /** Sends the combiner's results if they fill a block, or the last one did not fit behind them. */
  void placeResult(PartitionBuffer results, boolean inBuffer) throws IOException {
    if (!inBuffer) {
      place(results);
    } else if (buffers.full(results)) {
      send(results);
    }
  }

  /**
   * Makes a block of what is in the buffer, unless the partition is held, and empties it. The
   * buffer's array goes in all cases, so that what arrays take, and with it when buffers are
   * combined, follows from the records alone.
   */
  private void send(PartitionBuffer buffer) throws IOException {
    int count = buffer.records;
    if (count == 0) {
      return;
    }
    EncodedBlock block = null;
    int sequence = 0;
    if (!countHeld(buffer.partition, count, buffer.recordBytes, buffer.checksum)) {
      window.count(buffer.partition, count, buffer.recordBytes, buffer.checksum);
      sequence = window.nextSequence(buffer.partition, buffer.length());
      block = encode(buffer, sequence);
    }
    buffer.clear();
    buffer.filledBefore = true;
    buffers.release(buffer);
    if (block != null) {
      submit(block, buffer.partition, sequence, count);
    }
  }

  /** Makes a block of what is in the buffer; may take its array. */
  private EncodedBlock encode(PartitionBuffer buffer, int sequence) {
    if (runs != null) {
      return runs.encode(buffer, sequence);
    }
    EncodedBlock block = encoder.encode(buffer.bytes, START, buffer.length());
    if (block.bytes() == buffer.bytes) {
      buffers.detach(buffer);
    }
    return block;
  }

  /** Counts records of a partition that an earlier attempt has appended; false if it has not. */
  private boolean countHeld(int partition, int count, long recordBytes, long checksum) {
    boolean isHeld = held != null && held.contains(partition);
    if (isHeld) {
      held.count(partition, count, recordBytes, checksum);
    }
    return isHeld;
  }

  private void submit(EncodedBlock block, int partition, int sequence, int count)
      throws IOException {
    EncodedBlock stored = encoder.protect(block, partition, sequence, count);
    window.submit(
        encoder.header(stored, partition, sequence, count), stored.bytes(), stored.offset());
  }

  /**
   * Sends what is left, waits until every block is acknowledged, and stores the manifest: from then
   * on the attempt may be chosen as winner. Once.
   *
   * @return how many records are in its blocks: after combining, if there is a combiner
   * @throws IOException as {@link #endRecord}, or when the metaserver does not take the manifest
   * @throws IllegalStateException when a record is open
   */
  public long commit() throws IOException {
    assembler.checkClosed();
    if (!accepting) {
      throw new IllegalStateException("committed or closed before: " + attempt);
    }
    checkHealthy();
    healthy = false;
    for (int i = 0; i < buffers.count(); i++) {
      PartitionBuffer buffer = buffers.existing(i);
      if (buffer != null) {
        flush(buffer, false);
        buffers.release(buffer);
      }
    }
    accepting = false;
    window.drain();
    CommitManifestRequest.Builder manifest =
        CommitManifestRequest.newBuilder()
            .setJob(attempt.job())
            .setMap(attempt.map())
            .setAttempt(attempt.attempt())
            .setMaps(maps);
    window.addTo(manifest);
    if (held != null) {
      checkHeld();
      held.addTo(manifest);
    }
    metaserver.commit(manifest.build());
    committed = true;
    return window.records;
  }

  private void checkHeld() throws IOException {
    try {
      held.checkRepeated(attempt);
    } catch (IOException different) {
      try {
        metaserver.abort(true);
      } catch (IOException e) {
        different.addSuppressed(e);
      }
      throw different;
    }
  }

  /**
   * Partitions of which nothing is appended, because an earlier attempt of the map has committed
   * them and they are still held.
   */
  public int heldPartitions() {
    return held == null ? 0 : held.count;
  }

  /**
   * Closes all connections. An attempt that was not committed is aborted, as well as that can be
   * done in a few seconds; when it cannot, the metaserver's lease ends it, and {@link
   * #abortFailure} says why.
   */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    accepting = false;
    assembler.abandon();
    window.close();
    if (!committed && window.bound()) {
      try {
        metaserver.abort(false);
      } catch (IOException e) {
        abortFailure = e;
      }
    }
    metaserver.close();
    if (committed) {
      buffers.pool.leave(); // every block is acknowledged, so nobody gives an array back any more
    }
  }

  /** Why the attempt could not be aborted at {@link #close}; null when it was, or needed not be. */
  public IOException abortFailure() {
    return abortFailure;
  }

  /** How long the job lives when nobody names it, in ms; 0 when the metaserver did not say. */
  public long leaseMs() {
    return leaseMs;
  }

  /** Records appended so far. */
  public long records() {
    return records;
  }

  /** Bytes of keys and values of the records that were appended, as they were serialized. */
  public long serializedBytes() {
    return serializedBytes;
  }

  /** Bytes of the blocks sent so far, before compression. */
  public long rawBytes() {
    return window.rawBytes;
  }

  /** Bytes of the blocks sent so far, after compression. */
  public long storedBytes() {
    return window.storedBytes;
  }

  /** Blocks sent so far. */
  public long blocks() {
    return window.blocks;
  }

  /** How many times a block was sent again. */
  public long resent() {
    return window.resent;
  }

  /** Records that the combiner was given; those that it wrote itself count again each time. */
  public long combineInput() {
    return combined == null ? 0 : combined.inputRecords;
  }

  /** Records that the combiner wrote. */
  public long combineOutput() {
    return combined == null ? 0 : combined.outputRecords;
  }
}
