package dev.sailfish.chaos.strike;

import dev.sailfish.chaos.Course;
import dev.sailfish.chaos.CuttingProxy;
import dev.sailfish.chaos.Strike;
import dev.sailfish.chaos.Target;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The connections to one server are reset, half-closed, stalled or refused for a while.
 *
 * @param proxies before the target's servers
 */
public record CutConnections<T extends Target>(Function<T, List<CuttingProxy>> proxies)
    implements Strike<T> {
  private static final long SHORTEST_MS = 500;
  private static final long LONGEST_MS = 12_000;

  @Override
  public Optional<String> at(T target, Course course) throws IOException, InterruptedException {
    List<CuttingProxy> all = proxies.apply(target);
    CuttingProxy proxy = all.get(course.random().nextInt(all.size()));
    long millis = course.random().nextLong(SHORTEST_MS, LONGEST_MS);
    return switch (course.random().nextInt(4)) {
      case 0 -> hit("cut", proxy.cut(), "connections", proxy);
      case 1 -> hit("half-closed", proxy.halfClose(), "connections", proxy);
      case 2 -> stall(proxy, millis, course);
      default -> refuse(proxy, millis, course);
    };
  }

  private static Optional<String> hit(String how, int count, String what, CuttingProxy proxy) {
    return count == 0
        ? Optional.empty()
        : Optional.of(how + " " + count + " " + what + " to " + proxy);
  }

  private static Optional<String> stall(CuttingProxy proxy, long millis, Course course)
      throws InterruptedException {
    int before = proxy.disturbed();
    proxy.stall(true);
    course.pause(millis);
    proxy.stall(false);
    return hit("stalled for " + millis + " ms", proxy.disturbed() - before, "pieces", proxy);
  }

  private static Optional<String> refuse(CuttingProxy proxy, long millis, Course course)
      throws InterruptedException {
    int before = proxy.disturbed();
    proxy.refuse(true);
    int cut = proxy.cut();
    course.pause(millis);
    proxy.refuse(false);
    int hit = cut + proxy.disturbed() - before;
    return hit("cut or refused for " + millis + " ms", hit, "connections", proxy);
  }
}
