package dev.sailfish.workbuilder.plan;

import java.nio.charset.StandardCharsets;

/**
 * Why a partition was not treated as its size asks for.
 *
 * @param partition that stays whole
 * @param reason one line of at most {@value #MAX_LENGTH} characters; what is longer is cut
 */
public record Refusal(int partition, String reason) {
  private static final int MAX_LENGTH = 200;

  /** Takes what somebody's class has put into a message, too, and makes one line of it. */
  public Refusal {
    String line = reason.replaceAll("\\s+", " ");
    String cut = line.substring(0, Math.min(line.length(), MAX_LENGTH));
    reason = new String(cut.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
  }
}
