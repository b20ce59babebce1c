package dev.sailfish.hadoop.lineage.record;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Looks into splits that are around others: those of Hadoop's joins and of several inputs, of Pig
 * and of Hive. By the names of their methods: some of these classes are not public, and some are
 * not Hadoop's. For one thread.
 */
final class WrappedSplits {
  // One split, as Hadoop's TaggedInputSplit and Hive's HiveInputSplit have it.
  private static final String ONE = "getInputSplit";
  // Splits from 0, as Pig's PigSplit and Hadoop's CompositeInputSplit have them.
  private static final List<String> SEVERAL = List.of("getWrappedSplit", "get");

  private final Map<Class<?>, Optional<Method>> methods = new HashMap<>();

  /**
   * The splits that a split is around.
   *
   * @return empty: it is around none
   */
  List<Object> of(Object split) throws IOException {
    Method method = methods.computeIfAbsent(split.getClass(), WrappedSplits::method).orElse(null);
    if (method == null) {
      return List.of();
    }
    if (method.getParameterCount() == 0) {
      return List.of(call(method, split));
    }
    List<Object> inner = new ArrayList<>();
    try {
      while (true) {
        inner.add(call(method, split, inner.size()));
      }
    } catch (IndexOutOfBoundsException e) {
      return inner; // the only way to learn how many there are
    }
  }

  private static Optional<Method> method(Class<?> type) {
    for (Method method : type.getMethods()) {
      boolean isOne = method.getName().equals(ONE) && method.getParameterCount() == 0;
      boolean isOneOfSeveral =
          SEVERAL.contains(method.getName())
              && method.getParameterCount() == 1
              && method.getParameterTypes()[0] == int.class;
      boolean givesSplit = method.getReturnType().getSimpleName().equals("InputSplit");
      if (givesSplit && (isOne || isOneOfSeveral)) {
        method.setAccessible(true);
        return Optional.of(method);
      }
    }
    return Optional.empty();
  }

  private static Object call(Method method, Object split, Object... arguments) throws IOException {
    try {
      return method.invoke(split, arguments);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof IndexOutOfBoundsException end) {
        throw end;
      }
      throw new IOException("%s of %s: %s".formatted(method, split, e.getCause()), e.getCause());
    } catch (IllegalAccessException e) {
      throw new IOException(e.getMessage(), e);
    }
  }
}
