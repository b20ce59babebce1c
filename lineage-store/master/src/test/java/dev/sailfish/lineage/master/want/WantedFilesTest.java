package dev.sailfish.lineage.master.want;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.lineage.master.want.WantedFiles.Reader;
import dev.sailfish.testkit.ManualNanoClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class WantedFilesTest {
  private final ManualNanoClock clock = new ManualNanoClock();
  private final WantedFiles wanted = new WantedFiles(3);

  private static Reader reader(String application) {
    return new Reader(application, "alice");
  }

  @Test
  void anApplicationIsNamedOnceForEachUserWhoSaysThatHeIsOfIt() {
    Reader other = new Reader("a", "bob");
    wanted.want(1, other, clock.getAsLong());
    wanted.want(1, reader("a"), clock.getAsLong());
    assertThat(wanted.readers(1, clock.getAsLong())).containsExactly(reader("a"), other);
  }

  @Test
  void eachApplicationIsNamedOnceAsLongAsItAsks() {
    wanted.want(1, reader("b"), clock.getAsLong());
    wanted.want(1, reader("a"), clock.getAsLong());
    wanted.want(2, reader(""), clock.getAsLong());
    for (int i = 0; i < 10; i++) {
      wanted.want(1, reader("a"), clock.advance(Duration.ofSeconds(1)));
    }
    assertThat(wanted.readers(1, clock.getAsLong())).containsExactly(reader("a"));
    assertThat(wanted.readers(2, clock.getAsLong())).isEmpty();
    assertThat(wanted.files(clock.getAsLong())).isEqualTo(1);
    wanted.clear();
    assertThat(wanted.readers(1, clock.getAsLong())).isEmpty();
  }

  @Test
  void silenceIsNotedWithoutAnotherReader() {
    wanted.want(1, reader("a"), clock.getAsLong());
    clock.advance(Duration.ofMillis(4_999));
    assertThat(wanted.readers(1, clock.getAsLong())).containsExactly(reader("a"));
    clock.advance(Duration.ofMillis(2));
    assertThat(wanted.readers(1, clock.getAsLong())).isEmpty();
    assertThat(wanted.files(clock.getAsLong())).isZero();
  }

  @Test
  void nothingGrowsWithoutEnd() {
    for (int i = 0; i < 10; i++) {
      wanted.want(i, reader("a"), clock.getAsLong());
      wanted.report(i, "text", clock.getAsLong());
    }
    assertThat(wanted.files(clock.getAsLong())).isEqualTo(3);
    assertThat(wanted.readers(9, clock.getAsLong())).isEmpty();
    assertThat(wanted.progress(2, clock.getAsLong())).isEqualTo("text");
    assertThat(wanted.progress(9, clock.getAsLong())).isEmpty();
    clock.advance(Duration.ofSeconds(6));
    wanted.want(9, reader("a"), clock.getAsLong());
    assertThat(wanted.readers(9, clock.getAsLong())).containsExactly(reader("a"));
  }

  @Test
  void aReportCountsForAWhile() {
    wanted.report(1, "half", clock.getAsLong());
    wanted.report(1, "more", clock.advance(Duration.ofSeconds(29)));
    clock.advance(Duration.ofSeconds(29));
    assertThat(wanted.progress(1, clock.getAsLong())).isEqualTo("more");
    clock.advance(Duration.ofSeconds(2));
    assertThat(wanted.progress(1, clock.getAsLong())).isEmpty();
  }
}
