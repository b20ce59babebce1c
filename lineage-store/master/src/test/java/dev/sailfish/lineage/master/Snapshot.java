package dev.sailfish.lineage.master;

import dev.sailfish.ground.journal.StateView;
import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** A snapshot while nothing else goes on. */
public final class Snapshot {
  private Snapshot() {}

  /**
   * All bytes of a view.
   *
   * @param view closed here
   */
  public static byte[] of(StateView view) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (view) {
      boolean more = true;
      while (more) {
        more = view.write(bytes);
      }
    }
    return bytes.toByteArray();
  }
}
