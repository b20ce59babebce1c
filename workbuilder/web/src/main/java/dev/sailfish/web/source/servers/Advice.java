package dev.sailfish.web.source.servers;

/**
 * What an operator should do.
 *
 * @param level {@code ok}, {@code watch} or {@code bad}
 * @param server which one it is about; empty: the cluster
 * @param text what is wrong and what to do, a sentence
 */
public record Advice(String level, String server, String text) {
  /** All is well. */
  public static final String OK = "ok";

  /** Something may become wrong, or slows something down. */
  public static final String WATCH = "watch";

  /** Something is wrong. */
  public static final String BAD = "bad";
}
