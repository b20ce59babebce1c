package dev.sailfish.web.source.servers;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.protocol.wire.ServerStatusResponse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a daemon tells of itself: over the protocol, on its page, or both.
 *
 * @param name with its id, if it has one
 * @param address {@code host:port} of its service; empty where it has none
 * @param metrics by full name
 */
record StatusPage(
    String name,
    String address,
    boolean ready,
    List<String> failing,
    List<String> warnings,
    Map<String, Long> metrics,
    Optional<JsonNode> details) {

  /**
   * Whether a server is to leave, and how far it is.
   *
   * @param left what it has still to hand over, or null
   */
  record Drain(boolean draining, Long left) {
    /** Of a server that stays. */
    static final Drain NONE = new Drain(false, null);
  }

  /** What a daemon has answered over the protocol, without its page. */
  static StatusPage of(String address, ServerStatusResponse status) {
    return new StatusPage(
        status.getServer(),
        address,
        true,
        List.of(),
        List.of(),
        status.getCountersMap(),
        Optional.empty());
  }

  /** A page. */
  static StatusPage of(JsonNode page) {
    long port = page.path("port").asLong();
    Map<String, Long> metrics = new LinkedHashMap<>();
    page.path("metrics")
        .properties()
        .forEach(metric -> metrics.put(metric.getKey(), metric.getValue().asLong()));
    return new StatusPage(
        page.path("server").asText(),
        port == 0 ? "" : page.path("host").asText() + ":" + port,
        page.path("ready").asBoolean(),
        sentences(page.path("failing_checks")),
        sentences(page.path("warnings")),
        metrics,
        Optional.of(page));
  }

  private static List<String> sentences(JsonNode texts) {
    List<String> sentences = new ArrayList<>();
    texts.forEach(text -> sentences.add(text.asText()));
    return sentences;
  }

  /** What kind of daemon it is. */
  String kind() {
    return ServerKinds.of(name);
  }

  /** The metric of this daemon with this end; null when it has none. */
  Long metric(String end) {
    String group = "sailfish_" + kind().replace('-', '_') + "_";
    return metrics.get(group + end);
  }

  /** Its tiers, as far as there are metrics of them. */
  List<Tier> tiers() {
    List<Tier> tiers = new ArrayList<>();
    for (String tier : List.of("memory", "disk")) {
      Long used = metric(tier + "_used_bytes");
      Long capacity = metric(tier + "_capacity_bytes");
      if (used != null && capacity != null) {
        tiers.add(new Tier(tier, used, capacity));
      }
    }
    return tiers;
  }

  /** How it is shown. */
  ServerRow row(String web, String rack, Drain drain, long nowMs) {
    Long leads = metric("leads");
    return new ServerRow(
        kind(),
        name,
        address,
        web,
        rack,
        true,
        ready,
        leads != null && leads > 0,
        details.map(page -> page.path("version").asText(null)).orElse(null),
        details
            .map(page -> page.path("certificate_end_ms"))
            .filter(JsonNode::isNumber)
            .map(JsonNode::asLong)
            .orElse(null),
        nowMs,
        tiers(),
        metric("queued_sorts"),
        metric("queued_sort_bytes"),
        drain.draining(),
        drain.left(),
        warnings,
        failing);
  }
}
