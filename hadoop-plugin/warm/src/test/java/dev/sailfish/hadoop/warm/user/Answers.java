package dev.sailfish.hadoop.warm.user;

/** A user's class without any state of its own. */
public final class Answers {
  private static final String ANSWER = "forty-two";

  /** Made by reflection. */
  public Answers() {}

  @Override
  public String toString() {
    return ANSWER;
  }
}
