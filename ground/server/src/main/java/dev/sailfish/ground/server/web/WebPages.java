package dev.sailfish.ground.server.web;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.server.metrics.ProcessMetric;
import dev.sailfish.ground.wire.tls.TlsContext;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.instrumentation.jvm.JvmBufferPoolMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmGarbageCollectorMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmMemoryMetrics;
import io.prometheus.metrics.instrumentation.jvm.ProcessMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * The pages of a daemon, read-only; for one thread:
 *
 * <ul>
 *   <li>{@code /health}: 200 and {@code ok} while the process serves
 *   <li>{@code /ready}: 200 and {@code ready}, or 503 and a line for each check that fails
 *   <li>{@code /metrics}: all metrics, and what the process uses, in Prometheus' text format
 *   <li>{@code /status}: the same and what is wrong, as one JSON object
 * </ul>
 */
final class WebPages {
  private static final String METRICS = "/metrics";
  private static final String STATUS = "/status";
  private static final String PLAIN = "text/plain; charset=utf-8";
  private static final JsonFactory JSON = new JsonFactory();

  private final Monitored daemon;
  private final Optional<TlsContext> tls;
  // For /metrics; made when somebody asks for it first, as much has to be loaded.
  private PrometheusRegistry registry;

  /**
   * @param tls whose certificate the ports of the daemon show; absent: they are not encrypted
   */
  WebPages(Monitored daemon, Optional<TlsContext> tls) {
    this.daemon = daemon;
    this.tls = tls;
  }

  /** The other pages need none: load balancers and supervisors have no token. */
  static boolean needsToken(String path) {
    return path.equals(METRICS) || path.equals(STATUS);
  }

  /** What is under a path, or 404. */
  FullHttpResponse page(String path) throws IOException {
    return switch (path) {
      case "/health" -> plain(HttpResponseStatus.OK, "ok");
      case "/ready" -> ready();
      case METRICS -> metrics();
      case STATUS -> status();
      default ->
          plain(HttpResponseStatus.NOT_FOUND, "there are /health, /ready, /metrics and /status");
    };
  }

  private FullHttpResponse ready() {
    Map<String, String> failing = daemon.failing();
    if (failing.isEmpty()) {
      return plain(HttpResponseStatus.OK, "ready");
    }
    StringBuilder lines = new StringBuilder("not ready");
    failing.forEach((name, reason) -> lines.append('\n').append(name).append(": ").append(reason));
    return plain(HttpResponseStatus.SERVICE_UNAVAILABLE, lines.toString());
  }

  private FullHttpResponse metrics() throws IOException {
    if (registry == null) {
      registry = registered();
    }
    PrometheusTextFormatWriter text = PrometheusTextFormatWriter.create();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    text.write(out, registry.scrape());
    return response(HttpResponseStatus.OK, text.getContentType(), out.toByteArray());
  }

  private PrometheusRegistry registered() {
    PrometheusRegistry all = new PrometheusRegistry();
    daemon.metrics().forEach(all::register);
    all.register(new Metrics<>(ProcessMetric.class, this::process));
    ProcessMetrics.builder().register(all);
    JvmMemoryMetrics.builder().register(all);
    JvmBufferPoolMetrics.builder().register(all);
    JvmGarbageCollectorMetrics.builder().register(all);
    return all;
  }

  private Map<ProcessMetric, Long> process() {
    Map<ProcessMetric, Long> now = ProcessMetric.now();
    certificateEnd()
        .ifPresent(end -> now.put(ProcessMetric.CERTIFICATE_END_S, end.getEpochSecond()));
    return now;
  }

  private Optional<Instant> certificateEnd() {
    return tls.flatMap(TlsContext::certificateEnd);
  }

  private FullHttpResponse status() throws IOException {
    Map<String, String> failing = daemon.failing();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (JsonGenerator json = JSON.createGenerator(out)) {
      json.writeStartObject();
      json.writeStringField("server", daemon.name());
      json.writeStringField("host", daemon.host());
      json.writeNumberField("port", daemon.port().getAsInt());
      json.writeStringField("version", Release.version());
      Optional<Instant> end = certificateEnd();
      if (end.isPresent()) {
        json.writeNumberField("certificate_end_ms", end.get().toEpochMilli());
      }
      json.writeBooleanField("ready", failing.isEmpty());
      writeTexts(json, "failing_checks", failing);
      writeTexts(json, "warnings", daemon.warnings().texts());
      daemon.details().write(json);
      json.writeObjectFieldStart("metrics");
      for (Map.Entry<String, Long> value : daemon.values().entrySet()) {
        json.writeNumberField(value.getKey(), value.getValue());
      }
      json.writeEndObject();
      json.writeEndObject();
      json.writeRaw('\n');
    }
    return response(HttpResponseStatus.OK, "application/json", out.toByteArray());
  }

  private static void writeTexts(JsonGenerator json, String field, Map<String, String> texts)
      throws IOException {
    json.writeObjectFieldStart(field);
    for (Map.Entry<String, String> each : texts.entrySet()) {
      json.writeStringField(each.getKey(), each.getValue());
    }
    json.writeEndObject();
  }

  /** One line or more for people. */
  static FullHttpResponse plain(HttpResponseStatus status, String lines) {
    return response(status, PLAIN, (lines + "\n").getBytes(StandardCharsets.UTF_8));
  }

  private static FullHttpResponse response(HttpResponseStatus status, String type, byte[] body) {
    FullHttpResponse response =
        new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.wrappedBuffer(body));
    response
        .headers()
        .set(HttpHeaderNames.CONTENT_TYPE, type)
        .set(HttpHeaderNames.CONTENT_LENGTH, body.length)
        .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    return response;
  }
}
