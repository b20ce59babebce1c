package dev.sailfish.cli.store;

import picocli.CommandLine.Command;

/** {@code sailfish lineage}. */
@Command(
    name = "lineage",
    description = {
      "Shows how files of the lineage store were made, and which of them are lost; has files copied",
      "below."
    },
    mixinStandardHelpOptions = true,
    subcommands = {
      LineageLsCommand.class,
      LineageStatCommand.class,
      LineageGraphCommand.class,
      LineageQueueCommand.class,
      LineageCheckpointCommand.class,
      LineageRecomputeCommand.class,
      LineageRunCommand.class,
      LineageSyncModeCommand.class
    })
public final class LineageCommand {}
