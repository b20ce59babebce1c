package dev.sailfish.cli;

import dev.sailfish.ground.config.Notation;
import dev.sailfish.workbuilder.plan.ReducePolicy;
import dev.sailfish.workbuilder.plan.WorkTarget;
import picocli.CommandLine.Option;

/** How a plan is to be made. */
final class PolicyOptions {
  @Option(
      names = "--target",
      paramLabel = "SIZE",
      description =
          "How much a reduce task shall have, before compression: a number and k, m, g or t"
              + " (default: 1g, and for a plan that is made again the target it was made for).")
  private String target;

  @Option(names = "--most", paramLabel = "N", description = "Make at most N reduce tasks.")
  private int most = Integer.MAX_VALUE;

  @Option(names = "--no-split", description = "Leave large partitions whole.")
  private boolean whole;

  @Option(names = "--no-coalesce", description = "Do not put small partitions together.")
  private boolean apart;

  /**
   * What the options say.
   *
   * @param command whose arguments these are
   * @param otherwise the target where none is given
   */
  ReducePolicy policy(TerminalCommand command, WorkTarget otherwise) {
    long bytes = target == null ? 1 : Notation.size(target);
    if (bytes < 1) {
      throw command.wrongArguments(
          "--target is " + target + ", which is no size: write, say, 256m");
    }
    if (most < 1) {
      throw command.wrongArguments("--most is " + most + ", but must be at least 1");
    }
    WorkTarget chosen = target == null ? otherwise : WorkTarget.given(bytes);
    // Without a target nothing is small or large.
    boolean fixed = chosen.bytes() == Long.MAX_VALUE;
    return new ReducePolicy(chosen, most, !whole && !fixed, !apart && !fixed);
  }
}
