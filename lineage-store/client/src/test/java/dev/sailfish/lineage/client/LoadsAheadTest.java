package dev.sailfish.lineage.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Loads that are begun, or wait, when the client is closed. */
@Timeout(60)
class LoadsAheadTest {
  private static final int BLOCKS = 10;
  private static final int DEADLINE_S = 20;

  private final CountDownLatch never = new CountDownLatch(1);

  private LoadsAhead.Loaded load(int block) throws IOException {
    try {
      never.await();
      throw new AssertionError("block " + block);
    } catch (InterruptedException e) {
      throw (IOException) new InterruptedIOException().initCause(e);
    }
  }

  @Test
  void whoWaitsForOneHearsThatTheClientIsClosed() {
    Background background = new Background();
    LoadsAhead loads = new LoadsAhead(background, this::load);
    for (int block = 0; block < BLOCKS; block++) {
      loads.begin(block);
    }
    background.close();
    for (int block = 0; block < BLOCKS; block++) {
      CompletableFuture<LoadsAhead.Loaded> begun = loads.take(block);
      assertThat(begun).isNotNull();
      assertThatThrownBy(() -> begun.get(DEADLINE_S, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(IOException.class);
    }
  }
}
