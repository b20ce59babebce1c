package dev.sailfish.lineage.master.dependency;

import java.util.List;
import java.util.OptionalInt;

/** Dependencies as tests need them. */
final class Records {
  private static final String HASH = "ab".repeat(32);

  private Records() {}

  /** The next dependency of a graph, which is not added. */
  static Dependency of(DependencyGraph graph, List<Input> inputs, List<Output> outputs) {
    return of(graph, "", inputs, outputs);
  }

  /** The same with a name. */
  static Dependency of(
      DependencyGraph graph, String name, List<Input> inputs, List<Output> outputs) {
    Dependency.Recipe recipe =
        new Dependency.Recipe(
            "alice",
            name,
            Breadth.WIDE,
            inputs,
            List.of(new Program("job.jar", HASH)),
            new byte[] {1, 2, 3});
    return new Dependency(graph.nextId(), recipe, outputs, false);
  }

  /** Makes a file of another one, and adds that. */
  static void link(DependencyGraph graph, long from, long to, OutputState state) {
    Output output = new Output(to, Part.of(0), state, 10, OptionalInt.of(7));
    graph.add(of(graph, List.of(Input.of(from)), List.of(output)));
  }
}
