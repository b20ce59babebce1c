/**
 * What a daemon counts and measures: {@link dev.sailfish.transport.metrics.Metric} declares, {@link
 * dev.sailfish.transport.metrics.Metrics} counts. Prometheus' own client has the histograms and
 * writes the text.
 */
package dev.sailfish.transport.metrics;
