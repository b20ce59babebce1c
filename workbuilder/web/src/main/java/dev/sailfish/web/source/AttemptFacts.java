package dev.sailfish.web.source;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * An attempt of a task.
 *
 * @param number of the attempt, from 0
 * @param host that it runs on, without a port
 */
public record AttemptFacts(String id, int number, String host) {

  static AttemptFacts of(JsonNode attempt) {
    String id = attempt.path("id").asText();
    String digits = id.substring(id.lastIndexOf('_') + 1);
    String place = attempt.path("nodeHttpAddress").asText("");
    int colon = place.lastIndexOf(':');
    return new AttemptFacts(
        id,
        digits.matches("[0-9]{1,9}") ? Integer.parseInt(digits) : 0,
        colon < 0 ? place : place.substring(0, colon));
  }
}
