package dev.sailfish.ground.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class MetricsTest {
  private enum Color {
    RED,
    BLUE
  }

  private enum Sample implements Metric {
    DONE(Kind.COUNTER),
    OPEN(Kind.GAUGE),
    USED_BYTES(Kind.GAUGE),
    WAIT_SECONDS(Kind.HISTOGRAM),
    PAINT_SECONDS(Kind.HISTOGRAM);

    private final Declaration declaration;

    Sample(Kind kind) {
      Declaration whole = Declaration.of("sample", name(), kind, "Help of " + name());
      declaration = name().startsWith("PAINT") ? whole.by("color") : whole;
    }

    @Override
    public Declaration declaration() {
      return declaration;
    }
  }

  private static String text(Metrics<Sample> metrics) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrometheusTextFormatWriter.create().write(out, metrics.collect());
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void namesFollowTheConventionsOfPrometheus() {
    assertThat(Sample.DONE.fullName()).isEqualTo("sailfish_sample_done_total");
    assertThat(Sample.USED_BYTES.fullName()).isEqualTo("sailfish_sample_used_bytes");
    assertThat(Sample.WAIT_SECONDS.fullName()).isEqualTo("sailfish_sample_wait_seconds");
    assertThat(Sample.PAINT_SECONDS.declaration().labelName()).contains("color");
  }

  @Test
  void countsAndAsksForWhatIsNotCounted() {
    Map<Sample, Long> now = new EnumMap<>(Sample.class);
    Metrics<Sample> metrics = new Metrics<>(Sample.class, () -> now);
    metrics.increment(Sample.DONE);
    metrics.add(Sample.DONE, 41);
    metrics.add(Sample.OPEN, 2);
    metrics.add(Sample.OPEN, -3);
    now.put(Sample.USED_BYTES, 7L);
    assertThat(metrics.get(Sample.DONE)).isEqualTo(42);
    assertThat(metrics.get(Sample.OPEN)).isEqualTo(-1);
    assertThat(metrics.get(Sample.USED_BYTES)).isEqualTo(7);
    assertThat(metrics.values())
        .containsExactly(
            Map.entry("sailfish_sample_done_total", 42L),
            Map.entry("sailfish_sample_open", -1L),
            Map.entry("sailfish_sample_used_bytes", 7L));
  }

  @Test
  void histogramsAreDividedByWhatWasSeen() throws IOException {
    Metrics<Sample> metrics = new Metrics<>(Sample.class);
    metrics.observe(Sample.WAIT_SECONDS, 250_000_000);
    metrics.observe(Sample.PAINT_SECONDS, Color.BLUE, 1);
    metrics.observe(Sample.PAINT_SECONDS, Color.BLUE, 100_000_000_000L);
    assertThat(text(metrics))
        .contains(
            "sailfish_sample_wait_seconds_bucket{le=\"0.1\"} 0\n",
            "sailfish_sample_wait_seconds_bucket{le=\"0.3\"} 1\n",
            "sailfish_sample_wait_seconds_sum 0.25\n",
            "sailfish_sample_paint_seconds_bucket{color=\"BLUE\",le=\"1.0E-4\"} 1\n",
            "sailfish_sample_paint_seconds_bucket{color=\"BLUE\",le=\"30.0\"} 1\n",
            "sailfish_sample_paint_seconds_count{color=\"BLUE\"} 2\n")
        .doesNotContain("RED");
  }

  @Test
  void manyThreadsCountTogether() throws Exception {
    Metrics<Sample> metrics = new Metrics<>(Sample.class);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    for (int thread = 0; thread < 4; thread++) {
      threads.execute(
          () -> {
            for (int i = 0; i < 10_000; i++) {
              metrics.increment(Sample.DONE);
              metrics.observe(Sample.PAINT_SECONDS, i % 2 == 0 ? Color.RED : Color.BLUE, i);
            }
          });
    }
    threads.shutdown();
    assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
    assertThat(metrics.get(Sample.DONE)).isEqualTo(40_000);
    assertThat(text(metrics))
        .contains(
            "sailfish_sample_paint_seconds_count{color=\"RED\"} 20000\n",
            "sailfish_sample_paint_seconds_count{color=\"BLUE\"} 20000\n");
  }
}
