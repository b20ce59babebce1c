package dev.sailfish.benchmarks.jobs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.sailfish.cli.TextTable;
import dev.sailfish.localcluster.CommandException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Records as JSON, and as tables whose columns have the names of the JSON's fields. */
final class Report {
  static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private Report() {}

  /** The records as objects, in the order of their components. */
  static ArrayNode rows(List<? extends Record> records) {
    return JSON.valueToTree(records);
  }

  /**
   * A table with a line per record.
   *
   * @param columns names of the fields to show, with a blank between two
   */
  static TextTable table(List<? extends Record> records, String columns) {
    String[] names = columns.split(" ");
    TextTable table = new TextTable(columns.replace(" ", "|").replace('_', ' '));
    rows(records).forEach(row -> table.add(cells(row, names)));
    return table;
  }

  /** Fields of an object as a table shows them; those that it does not have are empty. */
  static Object[] cells(JsonNode row, String... names) {
    Object[] cells = new Object[names.length];
    for (int i = 0; i < names.length; i++) {
      JsonNode field = row.path(names[i]);
      cells[i] = field.isNull() ? "-" : field.isDouble() ? field.doubleValue() : field.asText();
    }
    return cells;
  }

  /** The same text in every locale. */
  static String text(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }

  static void write(Path file, JsonNode report) {
    try {
      Files.writeString(file, report.toPrettyString() + "\n");
    } catch (IOException e) {
      throw new CommandException("Cannot write the report to " + file + ": " + e.getMessage(), e);
    }
  }
}
