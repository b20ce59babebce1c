package dev.sailfish.lineage.qfs.append;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sailfish.lineage.qfs.wire.QfsError;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an appender does while nothing is sent: its task runs when a test says so. */
@Timeout(30)
class RecordAppenderTest {
  private final ScriptedCalls calls = new ScriptedCalls();
  private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
  private final RecordAppender appender =
      new RecordAppender(
          "/f",
          new ChunkAppender("/f", calls, ScriptedCalls.SETTINGS, calls),
          ScriptedCalls.SETTINGS,
          tasks::add);

  private CompletableFuture<RecordLocation> append(String record) throws IOException {
    return appender.append(ByteBuffer.wrap(record.getBytes(StandardCharsets.US_ASCII)));
  }

  private void sendAll() {
    tasks.remove().run();
    assertThat(tasks).isEmpty();
  }

  @Test
  void recordsThatWaitGoTogether() throws IOException {
    List<CompletableFuture<RecordLocation>> done =
        List.of(append("abc"), append("d"), append("ef"));
    assertThat(done).noneMatch(CompletableFuture::isDone);
    sendAll();
    assertThat(calls.log).endsWith("append abcdef");
    assertThat(done)
        .extracting(CompletableFuture::join)
        .containsExactly(
            new RecordLocation(0, 3), new RecordLocation(3, 1), new RecordLocation(4, 2));
    append("g");
    sendAll();
    assertThat(calls.file).hasToString("abcdefg");
  }

  @Test
  void waitsWhenItsBufferIsFull() throws Exception {
    int most = ScriptedCalls.SETTINGS.batchBytes();
    append("a".repeat(most - 1));
    CompletableFuture<Void> second =
        CompletableFuture.runAsync(
            () -> {
              try {
                append("bb");
              } catch (IOException e) {
                throw new CompletionException(e);
              }
            });
    assertThat(second).isNotDone();
    tasks.take().run();
    second.join();
    if (!tasks.isEmpty()) {
      tasks.take().run();
    }
    assertThat(calls.file).hasToString("a".repeat(most - 1) + "bb");
  }

  @Test
  void afterAFailureNothingOvertakesIt() throws IOException {
    calls.refuse("allocate", QfsError.EACCES);
    CompletableFuture<RecordLocation> first = append("a");
    CompletableFuture<RecordLocation> second = append("b");
    sendAll();
    assertThat(first).isCompletedExceptionally();
    assertThat(second).isCompletedExceptionally();
    assertThatExceptionOfType(IOException.class).isThrownBy(() -> append("c"));
    assertThatExceptionOfType(IOException.class).isThrownBy(appender::flush);
    assertThatExceptionOfType(IOException.class).isThrownBy(appender::close);
    assertThat(calls.log).containsExactly("allocate -1", "release");
    assertThat(calls.file).isEmpty();
  }
}
