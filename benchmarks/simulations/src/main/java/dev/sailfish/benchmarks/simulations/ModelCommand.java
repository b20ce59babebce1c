package dev.sailfish.benchmarks.simulations;

import dev.sailfish.cli.AddedCommand;
import picocli.CommandLine.Command;

/** {@code sailfish model}: models are its sub-commands. */
@Command(
    name = "model",
    description = "Computes what a model says; nothing is measured and no cluster is started.",
    mixinStandardHelpOptions = true,
    subcommands = {
      TwoLevelCommand.class,
      CheckpointCommand.class,
      RecomputeCommand.class,
      TrafficCommand.class
    },
    synopsisSubcommandLabel = "MODEL")
public final class ModelCommand implements AddedCommand {}
