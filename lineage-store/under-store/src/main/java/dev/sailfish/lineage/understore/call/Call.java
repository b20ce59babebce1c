package dev.sailfish.lineage.understore.call;

import java.io.IOException;

/** Something that may hang, done on a thread of {@link BoundedCalls}. */
@FunctionalInterface
public interface Call<T> {
  /**
   * Does it. Interrupted when its caller has gone; whatever it owns then is for {@link
   * BoundedCalls#call}'s {@code late}.
   *
   * @param caller who waits; whatever belongs to it may be touched through {@link Caller#deliver}
   *     only
   */
  T run(Caller caller) throws IOException;
}
