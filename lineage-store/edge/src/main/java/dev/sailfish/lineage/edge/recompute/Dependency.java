package dev.sailfish.lineage.edge.recompute;

import java.util.List;

/**
 * How files were made, as far as planning needs it: a job that reads the inputs and makes the
 * outputs (section 6.1 of the paper).
 *
 * @param id of the dependency
 * @param inputs FIDs, in the order in which the job reads them
 * @param outputs FIDs, in the order in which the job makes them; at least one
 * @param type which inputs an output needs
 */
public record Dependency(long id, List<Long> inputs, List<Long> outputs, DependencyType type) {
  public Dependency {
    inputs = List.copyOf(inputs);
    outputs = List.copyOf(outputs);
    if (outputs.isEmpty()) {
      throw new IllegalArgumentException("dependency %016x has no outputs".formatted(id));
    }
    if (type == DependencyType.NARROW && inputs.size() != outputs.size()) {
      throw new IllegalArgumentException(
          "dependency %016x is NARROW, with inputs=%d outputs=%d"
              .formatted(id, inputs.size(), outputs.size()));
    }
  }

  /**
   * What an output is made of.
   *
   * @param output its place among the outputs
   */
  List<Long> inputsOf(int output) {
    return type == DependencyType.WIDE ? inputs : inputs.subList(output, output + 1);
  }
}
