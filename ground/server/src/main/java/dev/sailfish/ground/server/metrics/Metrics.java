package dev.sailfish.ground.server.metrics;

import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * The values of one enum's metrics in one daemon. May be used from any thread; counting costs what
 * a LongAdder does, and nothing is allocated or looked up by name.
 *
 * @param <E> the enum that declares the metrics
 */
public final class Metrics<E extends Enum<E> & Metric> implements MultiCollector {
  private static final double NS_PER_S = 1e9;

  /** In seconds: from what a read out of memory takes to what nobody should wait. */
  private static final double[] UPPER_BOUNDS = {
    0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30
  };

  private final E[] metrics;
  private final Supplier<Map<E, Long>> gauges;
  private final LongAdder[] values;
  // Null where a metric is no histogram.
  private final Histogram[] histograms;
  // By metric, then by label; empty where a metric is not divided.
  private final List<Map<Object, DistributionDataPoint>> parts = new ArrayList<>();

  /** All at 0; gauges are counted up and down. */
  public Metrics(Class<E> type) {
    this(type, Map::of);
  }

  /**
   * All at 0.
   *
   * @param gauges gives those gauges that are not counted, whenever somebody looks: on that one's
   *     thread, and must not wait
   */
  public Metrics(Class<E> type, Supplier<Map<E, Long>> gauges) {
    this.metrics = type.getEnumConstants();
    this.gauges = gauges;
    this.values = new LongAdder[metrics.length];
    this.histograms = new Histogram[metrics.length];
    for (int i = 0; i < metrics.length; i++) {
      Metric.Declaration declared = metrics[i].declaration();
      parts.add(new ConcurrentHashMap<>());
      if (declared.kind() == Metric.Kind.HISTOGRAM) {
        histograms[i] =
            Histogram.builder()
                .name(declared.name())
                .help(declared.help())
                .labelNames(declared.labelName().stream().toArray(String[]::new))
                .classicOnly()
                .classicUpperBounds(UPPER_BOUNDS)
                .withoutExemplars()
                .build();
      } else {
        values[i] = new LongAdder();
      }
    }
  }

  /** Counts one more. */
  public void increment(E metric) {
    add(metric, 1);
  }

  /** Counts {@code amount} more; negative for what went away, of a gauge only. */
  public void add(E metric, long amount) {
    values[metric.ordinal()].add(amount);
  }

  /** The value of a counter or a gauge. */
  public long get(E metric) {
    boolean isGauge = metric.declaration().kind() == Metric.Kind.GAUGE;
    return value(metric, isGauge ? gauges.get() : Map.of());
  }

  /** Something has taken {@code ns} nanoseconds. */
  public void observe(E histogram, long ns) {
    histograms[histogram.ordinal()].observe(ns / NS_PER_S);
  }

  /**
   * The same, of a histogram that is divided.
   *
   * @param label one of few constants, known by identity; its text is shown
   */
  public void observe(E histogram, Object label, long ns) {
    Map<Object, DistributionDataPoint> points = parts.get(histogram.ordinal());
    DistributionDataPoint point = points.get(label);
    if (point == null) {
      point = histograms[histogram.ordinal()].labelValues(label.toString());
      points.put(label, point);
    }
    point.observe(ns / NS_PER_S);
  }

  /** Counters and gauges by full name, in the order of the enum; a new map. */
  public Map<String, Long> values() {
    Map<E, Long> now = gauges.get();
    Map<String, Long> all = new LinkedHashMap<>();
    for (E metric : metrics) {
      if (values[metric.ordinal()] != null) {
        all.put(metric.fullName(), value(metric, now));
      }
    }
    return all;
  }

  private long value(E metric, Map<E, Long> now) {
    Long given = now.get(metric);
    return given == null ? values[metric.ordinal()].sum() : given;
  }

  @Override
  public MetricSnapshots collect() {
    Map<E, Long> now = gauges.get();
    MetricSnapshots.Builder all = MetricSnapshots.builder();
    for (E metric : metrics) {
      all.metricSnapshot(snapshot(metric, now));
    }
    return all.build();
  }

  private MetricSnapshot snapshot(E metric, Map<E, Long> now) {
    Metric.Declaration declared = metric.declaration();
    return switch (declared.kind()) {
      case COUNTER ->
          CounterSnapshot.builder()
              .name(declared.name())
              .help(declared.help())
              .dataPoint(CounterDataPointSnapshot.builder().value(value(metric, now)).build())
              .build();
      case GAUGE ->
          GaugeSnapshot.builder()
              .name(declared.name())
              .help(declared.help())
              .dataPoint(GaugeDataPointSnapshot.builder().value(value(metric, now)).build())
              .build();
      case HISTOGRAM -> histograms[metric.ordinal()].collect();
    };
  }
}
