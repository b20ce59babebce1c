package dev.sailfish.web.source;

/**
 * How a source is.
 *
 * @param name what it is called
 * @param heardMs when it last answered, in milliseconds since 1970; null: it has not yet
 * @param error a sentence if it did not answer the last question, else null
 */
public record SourceView(String name, Long heardMs, String error) {
  /** The same without the error's words, which may name what not everybody may see. */
  public SourceView forUsers() {
    return error == null
        ? this
        : new SourceView(name, heardMs, "It does not answer; administrators see why.");
  }
}
