package dev.sailfish.ground.journal;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;

/**
 * A state as it was when this was made, while entries go on being applied to it. Not thread-safe:
 * its methods and those of its state are called one at a time.
 */
public interface StateView extends Closeable {
  /** A small state, of which a copy was made. */
  static StateView of(byte[] state) {
    return new StateView() {
      @Override
      public boolean write(OutputStream out) throws IOException {
        out.write(state);
        return false;
      }

      @Override
      public void close() {
        // Nothing is held but the bytes.
      }
    };
  }

  /**
   * Writes the next piece. Nothing is applied meanwhile, so it should take no more than a
   * millisecond.
   *
   * @param out takes it in memory, never waits
   * @return whether there is more
   */
  boolean write(OutputStream out) throws IOException;

  /** Nobody reads this any more, whether all was written or not. */
  @Override
  void close();
}
