package dev.sailfish.chaos.strike;

import dev.sailfish.chaos.Course;
import dev.sailfish.chaos.Strike;
import dev.sailfish.chaos.Target;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Any of several strikes.
 *
 * @param strikes each as likely as the others; one that is there twice, twice
 */
public record OneOf<T extends Target>(List<Strike<T>> strikes) implements Strike<T> {
  @Override
  public Optional<String> at(T target, Course course) throws IOException, InterruptedException {
    return strikes.get(course.random().nextInt(strikes.size())).at(target, course);
  }
}
