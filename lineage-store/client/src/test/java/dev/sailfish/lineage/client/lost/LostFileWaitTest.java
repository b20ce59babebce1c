package dev.sailfish.lineage.client.lost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.ground.wire.Clock;
import dev.sailfish.lineage.client.lost.LostFiles.Waiting;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.OutputState;
import dev.sailfish.lineage.protocol.wire.WantFileResponse;
import dev.sailfish.testkit.ManualNanoClock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LostFileWaitTest {
  private static final FileEntry FILE = FileEntry.newBuilder().setName("out").setFid(18).build();

  private final ManualNanoClock time = new ManualNanoClock();
  private final List<Waiting> told = new ArrayList<>();
  private WantFileResponse answer;
  private int asked;

  /** Time passes by waits alone. */
  private final Clock clock =
      new Clock() {
        @Override
        public long nanoTime() {
          return time.getAsLong();
        }

        @Override
        public void pause(long untilNs, String what) {
          time.advance(Duration.ofNanos(untilNs - time.getAsLong()));
        }
      };

  private LostFileWait wait(Duration longest) {
    return new LostFileWait(
        FILE,
        new LostFiles(longest, "application_1_2", told::add),
        clock,
        () -> {
          asked++;
          return answer;
        });
  }

  private static WantFileResponse in(OutputState state) {
    return WantFileResponse.newBuilder()
        .setState(state)
        .setDependency(3)
        .setProgress("40 %")
        .build();
  }

  @Test
  void aFileWithoutARecordIsAskedForOnce() throws IOException {
    LostFileWait wait = wait(Duration.ofMinutes(10));
    assertThat(wait.waits()).isFalse();
    assertThat(wait.waits()).isFalse();
    assertThat(asked).isEqualTo(1);
  }

  @Test
  void whoDoesNotWaitDoesNotAsk() throws IOException {
    answer = in(OutputState.OUTPUT_LOST);
    assertThat(wait(Duration.ZERO).waits()).isFalse();
    assertThat(asked).isZero();
  }

  @Test
  void itAsksOnceASecondUntilTheFileIsThere() throws IOException {
    LostFileWait wait = wait(Duration.ofMinutes(10));
    long beganNs = time.getAsLong();
    for (OutputState lost :
        List.of(
            OutputState.OUTPUT_LOST,
            OutputState.OUTPUT_RECOMPUTING,
            OutputState.OUTPUT_INTERRUPTED)) {
      answer = in(lost);
      assertThat(wait.waits()).isTrue();
    }
    assertThat(Duration.ofNanos(time.getAsLong() - beganNs)).isEqualTo(Duration.ofSeconds(3));
    answer = in(OutputState.OUTPUT_STORED);
    assertThat(wait.waits()).isFalse();
    assertThat(told).extracting(Waiting::since).containsExactly(seconds(0), seconds(1), seconds(2));
    answer = in(OutputState.OUTPUT_LOST);
    wait.waits();
    assertThat(told.get(3).since()).as("lost again: another wait").isZero();
  }

  private static Duration seconds(int seconds) {
    return Duration.ofSeconds(seconds);
  }

  @Test
  void theEndOfTheWaitHasASentence() throws IOException {
    answer = in(OutputState.OUTPUT_RECOMPUTING);
    LostFileWait wait = wait(Duration.ofMillis(2_500));
    for (int i = 0; i < 3; i++) {
      assertThat(wait.waits()).isTrue();
    }
    assertThatThrownBy(wait::waits)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("out (fid=0000000000000012)")
        .hasMessageContaining("dependency=3")
        .hasMessageContaining("40 %")
        .hasMessageContaining("after 2 s")
        .hasMessageContaining("no longer");
  }

  @Test
  void eachPeriodBeginsOnce() throws IOException {
    answer = in(OutputState.OUTPUT_LOST);
    LostFileWait wait = wait(Duration.ofMinutes(10));
    for (int i = 0; i < 65; i++) {
      wait.waits();
    }
    assertThat(told.stream().filter(one -> one.begins(seconds(30))).map(Waiting::since))
        .containsExactly(seconds(0), seconds(30), seconds(60));
  }
}
