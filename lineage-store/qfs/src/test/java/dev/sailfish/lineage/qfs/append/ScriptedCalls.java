package dev.sailfish.lineage.qfs.append;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.lineage.qfs.meta.ChunkInfo;
import dev.sailfish.lineage.qfs.meta.RetrySettings;
import dev.sailfish.lineage.qfs.wire.Clock;
import dev.sailfish.lineage.qfs.wire.QfsError;
import dev.sailfish.lineage.qfs.wire.QfsException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Answers as a test says, call by call; without a word of it each call succeeds. Also the clock: a
 * wait is over at once, and a call takes a second.
 */
final class ScriptedCalls implements AppendCalls, Clock {
  static final AppendSettings SETTINGS =
      new AppendSettings(
          100,
          1000,
          new RetrySettings(Duration.ofSeconds(60), Duration.ofMillis(100), Duration.ofSeconds(2)));

  private static final List<HostPort> SERVERS =
      List.of(new HostPort("a", 1), new HostPort("b", 2), new HostPort("c", 3));
  private static final long VERSION = 7;

  /** What was called, in order. */
  final List<String> log = new ArrayList<>();

  /** What was appended and acknowledged. */
  final StringBuilder file = new StringBuilder();

  private final Deque<Answer> answers = new ArrayDeque<>();
  private final Deque<Long> offsets = new ArrayDeque<>();
  private long nowNs = Long.MAX_VALUE - 1_000_000_000;
  private long sequence;
  private long chunkOffset;

  private record Answer(String operation, IOException failure, OpStatus status) {}

  /** The next call of this operation, after those that were said before, is refused. */
  ScriptedCalls refuse(String operation, QfsError error) {
    QfsException refusal = new QfsException(-error.code(), operation, "/f", "a:1");
    answers.add(new Answer(operation, refusal, null));
    return this;
  }

  /** The next call of this operation gets no answer. */
  ScriptedCalls lose(String operation) {
    answers.add(new Answer(operation, new IOException("no answer to " + operation), null));
    return this;
  }

  /**
   * What the next server that is asked for it says of the last append.
   *
   * @param received whether it got it
   */
  ScriptedCalls status(boolean received, int status, long offset, long length) {
    long last = received ? Long.MAX_VALUE : Long.MIN_VALUE;
    answers.add(
        new Answer("status", null, new OpStatus(VERSION, last, status, offset, length, true)));
    return this;
  }

  /** The next chunks begin there, whatever is asked for. */
  ScriptedCalls chunksAt(Long... chunkOffsets) {
    offsets.addAll(List.of(chunkOffsets));
    return this;
  }

  /** Whether all that was said has happened. */
  boolean isDone() {
    return answers.isEmpty();
  }

  @Override
  public ChunkInfo allocate(long offset, int bytes) throws IOException {
    call("allocate", "allocate " + offset);
    chunkOffset = offsets.isEmpty() ? Math.max(chunkOffset, offset) : offsets.remove();
    return new ChunkInfo(chunkOffset, chunkOffset + 1, VERSION, SERVERS);
  }

  @Override
  public WriteIds writeIds(ChunkInfo chunk) throws IOException {
    call("ids", "ids");
    return new WriteIds(List.of(10L, 20L, 30L), ++sequence);
  }

  @Override
  public void reserve(ChunkInfo chunk, WriteIds ids, int bytes) throws IOException {
    call("reserve", "reserve " + bytes);
  }

  @Override
  public Appended append(ChunkInfo chunk, WriteIds ids, ByteBuffer bytes) throws IOException {
    String records = StandardCharsets.US_ASCII.decode(bytes.duplicate()).toString();
    call("append", "append " + records);
    long offset = file.length();
    file.append(records);
    return new Appended(++sequence, offset);
  }

  @Override
  public OpStatus status(ChunkInfo chunk, WriteIds ids, int server) throws IOException {
    OpStatus said = call("status", "status " + server).status();
    long last = said.sequence() == Long.MIN_VALUE ? sequence : sequence + 1;
    return new OpStatus(
        said.version(), last, said.status(), said.offset(), said.length(), said.readOnly());
  }

  @Override
  public void close(ChunkInfo chunk, WriteIds ids) throws IOException {
    call("close", "close");
  }

  @Override
  public void release() {
    log.add("release");
  }

  private Answer call(String operation, String what) throws IOException {
    log.add(what);
    nowNs += Duration.ofSeconds(1).toNanos();
    Answer next = answers.peek();
    if (next == null || !next.operation().equals(operation)) {
      return new Answer(operation, null, null);
    }
    answers.remove();
    if (next.failure() != null) {
      throw next.failure();
    }
    return next;
  }

  @Override
  public long nanoTime() {
    return nowNs;
  }

  @Override
  public void pause(long untilNs, String what) {
    if (untilNs - nowNs > 0) {
      nowNs = untilNs;
    }
  }
}
