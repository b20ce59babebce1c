package dev.sailfish.cli.store;

import dev.sailfish.lineage.client.Lineage;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.client.StoreRefusedException;
import dev.sailfish.lineage.protocol.wire.DependencyInput;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.lineage.protocol.wire.Refusal;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sailfish lineage graph}. */
@Command(
    name = "graph",
    description =
        "Shows all that a file was made of, as far as it is recorded; files by their ids.")
final class LineageGraphCommand extends ClientCommand {
  /** How it is written. */
  enum Format {
    TEXT,
    DOT,
    JSON
  }

  @Parameters(paramLabel = "PATH", converter = StoreUri.class, description = "The file.")
  private String path;

  @Option(
      names = "--format",
      defaultValue = "text",
      description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private Format format;

  @Option(
      names = "--most",
      paramLabel = "N",
      defaultValue = "1000",
      description = "How many dependencies are shown, at most (default: ${DEFAULT-VALUE}).")
  private int most;

  @Override
  int ask(StoreClient client) throws IOException {
    Collection<DependencyRecord> records =
        ancestors(client.lineage(), client.namespace().stat(path).getFid());
    switch (format) {
      case TEXT -> records.forEach(this::printText);
      case DOT -> printDot(records);
      case JSON -> printJson(records);
    }
    out().flush();
    return 0;
  }

  /** By their ids. */
  private Collection<DependencyRecord> ancestors(Lineage lineage, long file) throws IOException {
    Map<Long, DependencyRecord> found = new TreeMap<>();
    Set<Long> seen = new HashSet<>();
    Deque<Long> open = new ArrayDeque<>(List.of(file));
    while (!open.isEmpty() && found.size() < most) {
      long fid = open.poll();
      DependencyRecord record = seen.add(fid) ? find(lineage, fid) : null;
      if (record != null && found.putIfAbsent(record.getId(), record) == null) {
        record.getInputsList().forEach(input -> open.add(input.getFid()));
      }
    }
    return found.values();
  }

  private static DependencyRecord find(Lineage lineage, long fid) throws IOException {
    try {
      return fid == 0 ? null : lineage.of(fid);
    } catch (StoreRefusedException e) {
      if (e.reason() == Refusal.Reason.NOT_FOUND) {
        return null;
      }
      throw e;
    }
  }

  private static List<String> inputs(DependencyRecord record) {
    List<String> names = new ArrayList<>();
    for (DependencyInput input : record.getInputsList()) {
      names.add(input.getFid() == 0 ? "outside" : LineageText.fid(input.getFid()));
    }
    return names;
  }

  private static List<String> outputs(DependencyRecord record) {
    return record.getOutputsList().stream()
        .map(output -> LineageText.fid(output.getFid()) + " " + LineageText.state(output))
        .toList();
  }

  private void printText(DependencyRecord record) {
    out().printf("%d: %s -> %s%n", record.getId(), inputs(record), outputs(record));
  }

  private void printDot(Collection<DependencyRecord> records) {
    out().println("digraph lineage {");
    for (DependencyRecord record : records) {
      if (!record.getName().isEmpty()) {
        out().printf("  \"dependency %d\" [label=\"%s\"];%n", record.getId(), record.getName());
      }
      for (String input : inputs(record)) {
        out().printf("  \"%s\" -> \"dependency %d\";%n", input, record.getId());
      }
      for (DependencyOutput output : record.getOutputsList()) {
        out()
            .printf(
                "  \"dependency %d\" -> \"%s\";%n",
                record.getId(), LineageText.fid(output.getFid()));
      }
    }
    out().println("}");
  }

  private void printJson(Collection<DependencyRecord> records) {
    List<String> rows = new ArrayList<>();
    for (DependencyRecord record : records) {
      List<String> outputs =
          record.getOutputsList().stream()
              .map(
                  output ->
                      "{\"fid\":\"%s\",\"part\":\"%s\",\"state\":\"%s\"}"
                          .formatted(
                              LineageText.fid(output.getFid()),
                              LineageText.part(output),
                              LineageText.state(output)))
              .toList();
      List<String> inputs = inputs(record).stream().map(name -> '"' + name + '"').toList();
      rows.add(
          "{\"id\":%d,\"name\":\"%s\",\"growing\":%s,\"inputs\":[%s],\"outputs\":[%s]}"
              .formatted(
                  record.getId(),
                  record.getName(),
                  record.getGrowing(),
                  String.join(",", inputs),
                  String.join(",", outputs)));
    }
    out().println("[" + String.join(",\n", rows) + "]");
  }
}
