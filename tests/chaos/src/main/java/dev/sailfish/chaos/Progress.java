package dev.sailfish.chaos;

import java.io.IOException;

/** Sees from outside how far the work has come. For one thread. */
public interface Progress {
  /** Looks; called again and again while the work runs. */
  void look() throws IOException;

  /** Whether a moment was seen to have come. */
  boolean reached(Moment moment);
}
