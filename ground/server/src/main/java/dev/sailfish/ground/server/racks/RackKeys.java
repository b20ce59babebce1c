package dev.sailfish.ground.server.racks;

import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.config.KeySet;
import dev.sailfish.ground.config.Settings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The keys of a server that knows in which racks hosts are. */
public record RackKeys(
    Key<String> racks,
    Key<Optional<Path>> file,
    Key<Optional<Path>> script,
    Key<Duration> scriptDeadline) {

  /** Declares them. */
  public static RackKeys of(KeySet keys) {
    return new RackKeys(
        keys.text(
            "racks",
            "",
            "host=rack pairs with commas between them; hosts that are missing are in "
                + RackResolver.DEFAULT_RACK),
        keys.path("racks.file", "", "file with one host=rack per line, instead of racks"),
        keys.path(
            "racks.script",
            "",
            "script that prints the rack of each address given to it, as Hadoop's"
                + " net.topology.script.file.name; instead of racks and racks.file"),
        keys.duration(
            "racks.script.deadline", "10s", "10ms..10min", "how long the script may take"));
  }

  /**
   * Throws unless racks come from one place.
   *
   * @throws IllegalArgumentException naming the keys that are set
   */
  public void check(Settings settings) {
    List<Key<?>> set = Stream.<Key<?>>of(racks, file, script).filter(settings::isSet).toList();
    if (set.size() > 1) {
      throw settings.wrong(
          set.get(0), "and others are set, but racks come from one place: set only one of " + set);
    }
  }

  /**
   * Reads what they name.
   *
   * @throws IOException saying which file or script cannot be used
   */
  public RackResolver open(Settings settings) throws IOException {
    Optional<Path> program = settings.get(script);
    if (program.isPresent()) {
      long deadlineMs = settings.get(scriptDeadline).toMillis();
      return TopologyScript.open(program.get(), deadlineMs, script.name());
    }
    Optional<Path> pairs = settings.get(file);
    return pairs.isPresent()
        ? RackMap.ofFile(pairs.get(), file.name())
        : RackMap.ofList(settings.get(racks), racks.name());
  }
}
