package dev.sailfish.cli.store;

import dev.sailfish.cli.TextTable;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.lineage.protocol.wire.LostFile;
import java.io.IOException;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sailfish lineage ls}. */
@Command(
    name = "ls",
    description = "Lists the caller's lineage records, a superuser's command all of them.")
final class LineageLsCommand extends ClientCommand {
  @Option(names = "--lost", description = "List the files that are lost and can be recomputed.")
  private boolean lost;

  @Override
  int ask(StoreClient client) throws IOException {
    TextTable table =
        new TextTable(
            lost
                ? "fid|dependency|part|state|bytes|waited for by|given up because"
                : "id|owner|name|type|inputs|outputs|same bytes");
    if (lost) {
      client.lineage().lost(file -> add(table, file));
    } else {
      client.lineage().list(record -> add(table, record));
    }
    out().print(table.render());
    out().flush();
    return 0;
  }

  private static void add(TextTable table, LostFile file) {
    table.add(
        LineageText.fid(file.getOutput().getFid()),
        file.getDependency(),
        LineageText.part(file.getOutput()),
        LineageText.state(file.getOutput()),
        file.getOutput().getLength(),
        file.getWaitingList().stream()
            .distinct() // several users may say that they are of one
            .map(application -> application.isEmpty() ? "a reader" : application)
            .collect(Collectors.joining(", ")),
        file.getGivenUp());
  }

  private static void add(TextTable table, DependencyRecord record) {
    table.add(
        record.getId(),
        record.getOwner(),
        record.getName(),
        LineageText.type(record),
        record.getInputsCount(),
        record.getOutputsCount(),
        record.getNondeterministic() ? "no" : "as far as known");
  }
}
