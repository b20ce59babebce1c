package dev.sailfish.hadoop.lineage.command;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What a container is to do that runs a command again: the arguments of {@link CommandMain}.
 *
 * @param record says how the files are made
 * @param deadline how long the command may run
 * @param outputs the lost files that are to be written, by their ids
 */
public record CommandOrder(long record, Duration deadline, List<Long> outputs) {
  /** The configuration, a file of the container's working directory. */
  public static final String CONFIGURATION = "sailfish-command.xml";

  /** The recipe of the record, a file of the container's working directory. */
  public static final String RECIPE = "sailfish-command-recipe";

  /** Checked. */
  public CommandOrder {
    if (outputs.isEmpty()) {
      throw new IllegalArgumentException("a command without outputs: record=" + record);
    }
    outputs = List.copyOf(outputs);
  }

  /** The order as arguments. */
  public List<String> arguments() {
    List<String> arguments = new ArrayList<>();
    arguments.add(Long.toUnsignedString(record));
    arguments.add(Long.toString(deadline.toMillis()));
    outputs.forEach(output -> arguments.add(Long.toUnsignedString(output)));
    return arguments;
  }

  /**
   * The order that arguments say.
   *
   * @throws IllegalArgumentException when they say none
   */
  public static CommandOrder of(List<String> arguments) {
    if (arguments.size() < 3) {
      throw new IllegalArgumentException("RECORD DEADLINE_MS FID... is expected: " + arguments);
    }
    return new CommandOrder(
        Long.parseUnsignedLong(arguments.get(0)),
        Duration.ofMillis(Long.parseLong(arguments.get(1))),
        arguments.stream().skip(2).map(Long::parseUnsignedLong).toList());
  }
}
