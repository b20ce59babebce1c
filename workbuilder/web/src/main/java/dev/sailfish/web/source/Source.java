package dev.sailfish.web.source;

/** When something that is asked answered last, and why it did not. Thread-safe. */
public final class Source {
  private final String name;
  private volatile SourceView view;

  /**
   * @param name what it is called
   */
  public Source(String name) {
    this.name = name;
    this.view = new SourceView(name, null, "it has not answered yet");
  }

  /**
   * It has answered.
   *
   * @param nowMs milliseconds since 1970
   */
  public void heard(long nowMs) {
    view = new SourceView(name, nowMs, null);
  }

  /**
   * It has not answered.
   *
   * @param error a sentence
   */
  public void failed(String error) {
    view = new SourceView(name, view.heardMs(), error);
  }

  /** How it is now. */
  public SourceView view() {
    return view;
  }
}
