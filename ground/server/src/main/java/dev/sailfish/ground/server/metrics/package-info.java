/**
 * What a daemon counts and measures: {@link dev.sailfish.ground.server.metrics.Metric} declares,
 * {@link dev.sailfish.ground.server.metrics.Metrics} counts. Prometheus' own client has the
 * histograms and writes the text.
 */
package dev.sailfish.ground.server.metrics;
