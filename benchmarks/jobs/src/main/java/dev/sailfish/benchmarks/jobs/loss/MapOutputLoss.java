package dev.sailfish.benchmarks.jobs.loss;

import dev.sailfish.benchmarks.jobs.measure.Loss;
import dev.sailfish.localcluster.CommandException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The output of every fourth map is emptied in the NodeManager's local directory: what one node of
 * four would take along.
 *
 * <p>Files stay, with nothing in them, because the local cluster has one NodeManager: where a file
 * is missing, it refuses the whole request and with it the output of all other maps, reduce tasks
 * fail before they report anything, and the job fails. A file without content is reported at once
 * and alone, as the output on a node that refuses connections.
 *
 * <pre>
 *   local/usercache/USER/appcache/application_T_N/output/attempt_T_N_m_000004_0/file.out
 * </pre>
 */
public final class MapOutputLoss implements Loss {
  private static final int NODES = 4;
  private static final Pattern APPLICATION = Pattern.compile("application_\\d+_\\d+");
  private static final Pattern MAP_ATTEMPT = Pattern.compile("attempt_\\d+_\\d+_m_(\\d+)_\\d+");

  private final Path local;
  private String lost;

  /** A loss of what lies in this local directory of a NodeManager, and nowhere else. */
  public MapOutputLoss(Path local) {
    this.local = local;
  }

  @Override
  public String name() {
    return "map output";
  }

  @Override
  public void strike(String application) {
    SortedMap<Path, Integer> chosen = chosen(application);
    if (chosen.isEmpty()) {
      throw new CommandException("No map output of " + application + " is in " + local + ".");
    }
    chosen.keySet().forEach(MapOutputLoss::empty);
    lost =
        "output of maps "
            + chosen.values().stream()
                .distinct()
                .map(String::valueOf)
                .collect(Collectors.joining(" "));
  }

  private static void empty(Path file) {
    try {
      Files.write(
          file, new byte[0], StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot empty map output " + file, e);
    }
  }

  /** Files of the attempts whose output goes, each with the number of its map. */
  SortedMap<Path, Integer> chosen(String application) {
    if (!APPLICATION.matcher(application).matches()) {
      throw new IllegalArgumentException("no id of an application: " + application);
    }
    SortedMap<Path, Integer> chosen = new TreeMap<>();
    try (DirectoryStream<Path> users = Files.newDirectoryStream(local.resolve("usercache"))) {
      for (Path user : users) {
        Path output = user.resolve("appcache").resolve(application).resolve("output");
        if (isBelow(output)) {
          choose(output, chosen);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot list map output below " + local, e);
    }
    return chosen;
  }

  private static void choose(Path output, SortedMap<Path, Integer> chosen) throws IOException {
    try (DirectoryStream<Path> attempts = Files.newDirectoryStream(output)) {
      for (Path attempt : attempts) {
        Matcher name = MAP_ATTEMPT.matcher(attempt.getFileName().toString());
        Path file = attempt.resolve("file.out");
        if (name.matches()
            && !Files.isSymbolicLink(attempt)
            && Integer.parseInt(name.group(1)) % NODES == 0
            && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
          chosen.put(file, Integer.valueOf(name.group(1)));
        }
      }
    }
  }

  /** Whether it is a directory here that no link leads to. */
  private boolean isBelow(Path directory) throws IOException {
    return Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
        && directory.toRealPath().startsWith(local.toRealPath());
  }

  @Override
  public Optional<String> lost() {
    return Optional.ofNullable(lost);
  }
}
