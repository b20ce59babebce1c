package dev.sailfish.web.api;

/**
 * An error, as RFC 9457 has it.
 *
 * @param type always {@code about:blank}: the status says it all
 * @param title what the status is called
 * @param detail what is wrong with this request, and what to do
 * @param instance the path that was asked for
 */
public record Problem(String type, String title, int status, String detail, String instance) {
  /** The media type of a problem. */
  public static final String TYPE = "application/problem+json";

  private static final String BLANK = "about:blank";

  static Problem of(String title, int status, String detail, String instance) {
    return new Problem(BLANK, title, status, detail, instance);
  }
}
