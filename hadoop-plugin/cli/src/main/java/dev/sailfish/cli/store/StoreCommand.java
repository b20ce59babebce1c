package dev.sailfish.cli.store;

import picocli.CommandLine.Command;

/** {@code sailfish store}. */
@Command(
    name = "store",
    description = "Looks after the lineage store. Files are worked with by `sailfish fs`.",
    mixinStandardHelpOptions = true,
    subcommands = {
      ReportCommand.class,
      MountCommand.class,
      UnmountCommand.class,
      LoadCommand.class,
      CopyCommand.class,
      FreeCommand.class,
      PinCommand.class,
      UnpinCommand.class,
      TtlCommand.class,
      QuotaCommand.class,
      BalanceCommand.class,
      DecommissionCommand.class,
      VerifyCommand.class,
      FormatCommand.class
    })
public final class StoreCommand {}
