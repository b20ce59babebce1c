package dev.sailfish.web.source.yarn;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * An attempt of a task.
 *
 * @param number of the attempt, from 0
 * @param host that it runs on, without a port
 * @param diagnostics why it has failed, the beginning; empty where nothing is told
 */
public record AttemptFacts(String id, int number, String host, String diagnostics) {
  private static final int MOST_DIAGNOSTICS = 1_000;

  static AttemptFacts of(JsonNode attempt) {
    String id = attempt.path("id").asText();
    String digits = id.substring(id.lastIndexOf('_') + 1);
    String place = attempt.path("nodeHttpAddress").asText("");
    int colon = place.lastIndexOf(':');
    String text = attempt.path("diagnostics").asText("");
    return new AttemptFacts(
        id,
        digits.matches("[0-9]{1,9}") ? Integer.parseInt(digits) : 0,
        colon < 0 ? place : place.substring(0, colon),
        text.substring(0, Math.min(text.length(), MOST_DIAGNOSTICS)));
  }
}
