package dev.sailfish.web.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.format.order.PrintableKey;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.web.report.AmReport;
import dev.sailfish.web.source.shuffle.Histogram;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

@Seeded
class HistogramViewTest {
  @Test
  void aPrintedKeyIsReadBack(Random random) {
    for (int round = 0; round < 1_000; round++) {
      byte[] key = new byte[random.nextInt(64)];
      random.nextBytes(key);
      assertThat(PrintedKey.bytes(PrintableKey.of(key))).isEqualTo(key);
    }
    assertThat(PrintedKey.bytes(PrintableKey.of(new byte[100]))).hasSize(64);
    for (String other : List.of("", "plain", "\"", "\\", "\\x", "\"\\x4", "\\xzz")) {
      assertThat(PrintedKey.bytes(other).length).isLessThanOrEqualTo(other.length());
    }
  }

  @Test
  void splitsLieBeforeTheBarWhereTheirWorkBegins() {
    List<Histogram.Bar> bars = new ArrayList<>();
    for (int i = 0; i < 256; i += 16) {
      bars.add(new Histogram.Bar(PrintableKey.of(new byte[] {(byte) i}), 1, 1));
    }
    List<AmReport.Work> works =
        List.of(
            new AmReport.Work(0, 3, 3, 0, null, "\"\\x20\"", 1, 1, 1),
            new AmReport.Work(1, 3, 3, 1, "\"\\x20\"", "\"\\xff\"", 1, 1, 1),
            new AmReport.Work(2, 3, 3, 2, "\"\\xff\"", null, 1, 1, 1),
            new AmReport.Work(3, 4, 4, 0, "\"\\x20\"", null, 1, 1, 1));
    AmReport.HeavyKey heavy = new AmReport.HeavyKey(3, "\"k\"", 9);
    AmReport.Plan plan = new AmReport.Plan(1L, "given", 5, List.of(), List.of(heavy), works, 0);
    HistogramView view = HistogramView.of(new Histogram(3, bars, 0), plan);
    assertThat(view.splits())
        .containsExactly(
            new HistogramView.Split("\"\\x20\"", 1, 2),
            new HistogramView.Split("\"\\xff\"", 2, 16));
    assertThat(view.heavyKeys()).containsExactly(new HistogramView.HeavyKey("\"k\"", 9));
    assertThat(HistogramView.of(new Histogram(3, bars, 0), null).splits()).isEmpty();
  }
}
