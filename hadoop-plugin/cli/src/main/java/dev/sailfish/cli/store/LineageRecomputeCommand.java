package dev.sailfish.cli.store;

import dev.sailfish.lineage.client.Lineage;
import dev.sailfish.lineage.client.NamespaceClient;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.client.StoreRefusedException;
import dev.sailfish.lineage.protocol.wire.DependencyInput;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.LostFile;
import dev.sailfish.lineage.protocol.wire.OutputState;
import dev.sailfish.lineage.protocol.wire.WantFileResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sailfish lineage recompute}. */
@Command(
    name = "recompute",
    description =
        "Asks for lost files and waits until they are back, as a reader would. What was given up of"
            + " them, and of what they are made of, is tried again. Exit code 0 only when all are"
            + " there. The workflow manager recomputes them; interrupting the command does not end"
            + " that.")
final class LineageRecomputeCommand extends ClientCommand {
  private static final Duration POLL = Duration.ofSeconds(1);
  private static final Set<OutputState> LOST =
      EnumSet.of(
          OutputState.OUTPUT_LOST, OutputState.OUTPUT_RECOMPUTING, OutputState.OUTPUT_INTERRUPTED);

  @Parameters(
      arity = "1..*",
      paramLabel = "PATH",
      converter = StoreUri.class,
      description = "A file, or a directory with all below.")
  private List<String> paths;

  @Option(
      names = "--deadline",
      paramLabel = "SECONDS",
      defaultValue = "3600",
      description = "How long to wait (default: ${DEFAULT-VALUE}); 0: only ask.")
  private long deadlineSeconds;

  private final Map<Long, String> pending = new LinkedHashMap<>(); // path, by FID
  private final Map<Long, String> shown = new HashMap<>();
  private boolean failed;

  @Override
  int ask(StoreClient client) throws IOException {
    long end = System.nanoTime() + Duration.ofSeconds(deadlineSeconds).toNanos();
    for (String path : paths) {
      find(client.namespace(), path);
    }
    tryAgain(client.lineage());
    look(client.lineage());
    while (!pending.isEmpty() && System.nanoTime() - end < 0) {
      LockSupport.parkNanos(POLL.toNanos());
      look(client.lineage());
    }
    if (deadlineSeconds > 0) {
      pending.values().forEach(path -> err().println(path + ": not back within the deadline"));
    }
    return failed || deadlineSeconds > 0 && !pending.isEmpty() ? 1 : 0;
  }

  private void find(NamespaceClient namespace, String path) throws IOException {
    FileEntry entry = namespace.stat(path);
    if (!entry.getDirectory()) {
      pending.put(entry.getFid(), path);
      return;
    }
    Deque<String> directories = new ArrayDeque<>(List.of(path));
    while (!directories.isEmpty()) {
      String directory = directories.remove();
      String prefix = directory.endsWith("/") ? directory : directory + "/";
      namespace.list(
          directory,
          below -> {
            if (below.getDirectory()) {
              directories.add(prefix + below.getName());
            } else {
              pending.put(below.getFid(), prefix + below.getName());
            }
          });
    }
  }

  /** Takes back what was given up of the files, and of what they are made of. */
  private void tryAgain(Lineage lineage) throws IOException {
    Map<Long, LostFile> lost = new HashMap<>();
    lineage.lost(file -> lost.put(file.getOutput().getFid(), file));
    Set<Long> seen = new HashSet<>();
    Deque<Long> open = new ArrayDeque<>(pending.keySet());
    while (!open.isEmpty()) {
      long fid = open.remove();
      LostFile file = lost.get(fid);
      if (file != null && seen.add(fid)) {
        if (!file.getGivenUp().isEmpty()) {
          out().println("tried again: " + file.getPath() + ", given up: " + file.getGivenUp());
          lineage.giveUp(fid, "");
        }
        lineage.get(file.getDependency()).getInputsList().stream()
            .map(DependencyInput::getFid)
            .forEach(open::add);
      }
    }
  }

  private void look(Lineage lineage) throws IOException {
    for (Map.Entry<Long, String> one : Map.copyOf(pending).entrySet()) {
      look(lineage, one.getKey(), one.getValue());
    }
    out().flush();
  }

  private void look(Lineage lineage, long fid, String path) throws IOException {
    try {
      WantFileResponse now = lineage.want(fid, "");
      if (LOST.contains(now.getState())) {
        show(fid, path, "lost; " + now.getProgress());
      } else {
        show(fid, path, "there");
        pending.remove(fid);
      }
    } catch (StoreRefusedException e) {
      err().println(path + ": " + e.getMessage());
      pending.remove(fid);
      failed = true;
    }
  }

  private void show(long fid, String path, String how) {
    if (!how.equals(shown.put(fid, how))) {
      out().println(path + ": " + how);
    }
  }
}
