package dev.sailfish.lineage.qfs.append;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sailfish.lineage.qfs.meta.ChunkInfo;
import dev.sailfish.lineage.qfs.wire.QfsError;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ChunkAppenderTest {
  private static final long CHUNK = ChunkInfo.BYTES;

  private final ScriptedCalls calls = new ScriptedCalls();
  private final ChunkAppender appender =
      new ChunkAppender("/f", calls, ScriptedCalls.SETTINGS, calls);

  private long append(String records) throws IOException {
    return appender.append(ByteBuffer.wrap(records.getBytes(StandardCharsets.US_ASCII)));
  }

  private void assertDone(AppenderState state, String... log) {
    assertThat(calls.log).containsExactly(log);
    assertThat(calls.isDone()).isTrue();
    assertThat(appender.state()).isEqualTo(state);
  }

  @Test
  void bindsOnceAndAppends() throws IOException {
    assertThat(append("abc")).isZero();
    assertThat(append("de")).isEqualTo(3);
    assertDone(
        AppenderState.RESERVED, "allocate -1", "ids", "reserve 100", "append abc", "append de");
  }

  @Test
  void reservesMoreWhenTheNextBatchNeedsIt() throws IOException {
    append("a".repeat(60));
    append("b".repeat(50));
    append("c".repeat(150));
    assertThat(calls.log)
        .containsExactly(
            "allocate -1",
            "ids",
            "reserve 100",
            "append " + "a".repeat(60),
            "reserve 60",
            "append " + "b".repeat(50),
            "reserve 100",
            "append " + "c".repeat(150));
  }

  @Test
  void goesToTheNextChunkWhenOneIsFull() throws IOException {
    calls.refuse("reserve", QfsError.ENOSPC);
    assertThat(append("abc")).isEqualTo(CHUNK);
    assertDone(
        AppenderState.RESERVED,
        "allocate -1",
        "ids",
        "reserve 100",
        "close",
        "allocate " + CHUNK,
        "ids",
        "reserve 100",
        "append abc");
  }

  @Test
  void aFullChunkIsLeftThoughItCannotBeClosed() throws IOException {
    calls.refuse("reserve", QfsError.ENOSPC).lose("close");
    assertThat(append("abc")).isEqualTo(CHUNK);
    assertThat(calls.isDone()).isTrue();
  }

  @Test
  void goesToTheNextChunkWhenOneHasNoWriteIdLeft() throws IOException {
    calls.refuse("ids", QfsError.ENOSPC);
    assertThat(append("abc")).isEqualTo(CHUNK);
    assertDone(
        AppenderState.RESERVED,
        "allocate -1",
        "ids",
        "allocate " + CHUNK,
        "ids",
        "reserve 100",
        "append abc");
  }

  @Test
  void doesNotGoBackToAFullChunk() throws IOException {
    calls.refuse("reserve", QfsError.ENOSPC).chunksAt(0L, 0L, 2 * CHUNK);
    assertThat(append("abc")).isEqualTo(2 * CHUNK);
    assertDone(
        AppenderState.RESERVED,
        "allocate -1",
        "ids",
        "reserve 100",
        "close",
        "allocate " + CHUNK,
        "allocate 0",
        "ids",
        "reserve 100",
        "append abc");
  }

  @Test
  void doesNotGoBackBeforeItsEarlierRecords() throws IOException {
    calls.chunksAt(CHUNK, 0L);
    append("abc");
    Long[] before = new Long[100];
    Arrays.fill(before, 0L);
    calls.refuse("append", QfsError.EINVAL).chunksAt(before);
    assertThatExceptionOfType(AppendException.class)
        .isThrownBy(() -> append("def"))
        .withMessageContaining("earlier chunk");
    assertFailed();
  }

  @Test
  void asksForAnotherChunkWhenItsServersFailTwice() throws IOException {
    calls.lose("ids").refuse("reserve", QfsError.ELEASEEXPIRED);
    assertThat(append("abc")).isEqualTo(CHUNK);
    assertDone(
        AppenderState.RESERVED,
        "allocate -1",
        "ids",
        "allocate -1",
        "ids",
        "reserve 100",
        "allocate " + CHUNK,
        "ids",
        "reserve 100",
        "append abc");
  }

  @Test
  void sendsAgainWhatWasRefused() throws IOException {
    calls.refuse("append", QfsError.EINVAL);
    assertThat(append("abc")).isZero();
    assertDone(
        AppenderState.RESERVED,
        "allocate -1",
        "ids",
        "reserve 100",
        "append abc",
        "allocate -1",
        "ids",
        "reserve 100",
        "append abc");
    assertThat(calls.file).hasToString("abc");
  }

  @Test
  void doesNotSendAgainWhatWasAppendedWithoutAnAnswer() throws IOException {
    calls.lose("append").status(true, 0, 17, 3);
    assertThat(append("abc")).isEqualTo(17);
    assertDone(
        AppenderState.UNBOUND, "allocate -1", "ids", "reserve 100", "append abc", "status 0");
  }

  @Test
  void sendsAgainWhatNeverArrived() throws IOException {
    calls.lose("append").status(false, 0, -1, 0);
    append("abc");
    assertThat(calls.log).filteredOn(call -> call.startsWith("append")).hasSize(2);
    assertThat(calls.file).hasToString("abc");
  }

  @Test
  void sendsAgainWhatArrivedAndFailed() throws IOException {
    calls.lose("append").status(true, -QfsError.EINVAL.code(), 0, 3);
    append("abc");
    assertThat(calls.log).filteredOn(call -> call.startsWith("append")).hasSize(2);
  }

  @Test
  void asksTheFirstServerAgainBeforeTheOthers() throws IOException {
    calls
        .refuse("append", QfsError.EAGAIN)
        .status(true, -QfsError.EAGAIN.code(), 0, 3)
        .status(true, -QfsError.EAGAIN.code(), 0, 3)
        .status(true, 0, 5, 3);
    assertThat(append("abc")).isEqualTo(5);
    assertDone(
        AppenderState.UNBOUND,
        "allocate -1",
        "ids",
        "reserve 100",
        "append abc",
        "status 0",
        "status 0",
        "status 1");
  }

  @Test
  void asksTheOthersWhenTheFirstServerIsGone() throws IOException {
    calls.lose("append").lose("status").refuse("status", QfsError.EINVAL).status(true, 0, 9, 3);
    assertThat(append("abc")).isEqualTo(9);
    assertThat(calls.log).endsWith("status 0", "status 1", "status 2");
  }

  @Test
  void whatNobodyKnowsIsInDoubtAfterTheDeadline() {
    calls.lose("append");
    for (int asked = 0; asked < 100; asked++) {
      calls.lose("status");
    }
    assertThatExceptionOfType(AppendInDoubtException.class)
        .isThrownBy(() -> append("abc"))
        .withMessageContaining("/f")
        .withMessageContaining("IN_DOUBT");
    assertFailed();
  }

  @Test
  void anotherLengthThanWasSentIsNoAnswer() {
    calls.lose("append");
    for (int asked = 0; asked < 100; asked++) {
      calls.status(true, 0, 9, 4);
    }
    assertThatExceptionOfType(AppendInDoubtException.class)
        .isThrownBy(() -> append("abc"))
        .withMessageContaining("4 bytes, expected 3");
  }

  @Test
  void givesUpAtTheDeadline() {
    for (int asked = 0; asked < 100; asked++) {
      calls.lose("allocate");
    }
    assertThatExceptionOfType(AppendException.class)
        .isThrownBy(() -> append("abc"))
        .isNotInstanceOf(AppendInDoubtException.class)
        .withMessageContaining("no answer to allocate");
    assertFailed();
  }

  @Test
  void givesUpAtOnceWhatTheMetaserverForbids() {
    calls.refuse("allocate", QfsError.EACCES);
    assertThatExceptionOfType(AppendException.class).isThrownBy(() -> append("abc"));
    assertThat(calls.log).containsExactly("allocate -1");
    assertFailed();
  }

  private void assertFailed() {
    assertThat(appender.state()).isEqualTo(AppenderState.FAILED);
    assertThatExceptionOfType(AppendException.class)
        .isThrownBy(() -> append("d"))
        .withMessageContaining("FAILED");
    appender.close();
    assertThat(appender.state()).isEqualTo(AppenderState.FAILED);
    assertThat(calls.log).endsWith("release");
  }

  @Test
  void closesItsChunk() throws IOException {
    append("abc");
    appender.close();
    appender.close();
    assertThat(appender.state()).isEqualTo(AppenderState.CLOSED);
    assertThat(calls.log).endsWith("append abc", "close", "release", "release");
    assertThatExceptionOfType(AppendException.class).isThrownBy(() -> append("d"));
  }

  @Test
  void closesWithoutAChunk() {
    appender.close();
    assertDone(AppenderState.CLOSED, "release");
  }
}
