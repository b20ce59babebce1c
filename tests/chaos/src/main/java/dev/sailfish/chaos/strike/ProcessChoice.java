package dev.sailfish.chaos.strike;

import dev.sailfish.chaos.Target;
import dev.sailfish.chaos.process.NamedProcess;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Which processes of a target may be struck, other than its servers.
 *
 * @param <T> the target
 */
public interface ProcessChoice<T extends Target> {
  /** Those that run now. */
  List<NamedProcess> among(T target) throws IOException;

  /** One of them, if there is any. */
  default Optional<NamedProcess> choose(T target, SplittableRandom random) throws IOException {
    List<NamedProcess> all = among(target);
    return all.isEmpty() ? Optional.empty() : Optional.of(all.get(random.nextInt(all.size())));
  }
}
