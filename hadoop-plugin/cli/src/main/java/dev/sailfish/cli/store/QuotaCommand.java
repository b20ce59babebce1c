package dev.sailfish.cli.store;

import dev.sailfish.ground.config.Notation;
import dev.sailfish.lineage.client.NamespaceClient;
import dev.sailfish.lineage.protocol.wire.UseResponse;
import java.io.IOException;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sailfish store quota}. */
@Command(
    name = "quota",
    description = {
      "Limits what may be in a directory, or shows the limits. What is there already stays, be it"
          + " more than that.",
      "`sailfish fs -count -q` shows them, too."
    })
final class QuotaCommand extends NamespaceCommand {
  private static final String NONE = "none";

  @Option(
      names = "--names",
      paramLabel = "N",
      description = "How many files and directories, the directory itself included; or none.")
  private Optional<String> names = Optional.empty();

  @Option(
      names = "--bytes",
      paramLabel = "SIZE",
      description =
          "How long its files may be together, 100m or 2t; or none. A byte counts once, however"
              + " many copies there are.")
  private Optional<String> bytes = Optional.empty();

  @Override
  void ask(NamespaceClient client, String path) throws IOException {
    UseResponse before = client.use(path);
    if (names.isPresent() || bytes.isPresent()) {
      client.setQuota(
          path,
          limit("--names", names, before.getQuotaNames()),
          limit("--bytes", bytes, before.getQuotaBytes()));
    }
    UseResponse now = client.use(path);
    if (now.getHasQuota()) {
      long used = now.getFiles() + now.getDirectories();
      out().printf("names: %d of %s%n", used, text(now.getQuotaNames()));
      out().printf("bytes: %d of %s%n", now.getBytes(), text(now.getQuotaBytes()));
    } else {
      out().println(path + " has no quota");
    }
  }

  private long limit(String option, Optional<String> asked, long before) {
    if (asked.isEmpty()) {
      return before;
    }
    long limit = asked.get().equals(NONE) ? 0 : Notation.size(asked.get());
    if (limit < 0 || limit == 0 && !asked.get().equals(NONE)) {
      throw wrongArguments(
          "%s is '%s': write a number above 0, with k, m, g or t behind it, or none"
              .formatted(option, asked.get()));
    }
    return limit;
  }

  private static String text(long limit) {
    return limit == 0 ? NONE : Long.toString(limit);
  }
}
