package dev.sailfish.ground.server.racks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Racks out of the configuration: {@code host=rack}. Host names are not case-sensitive. */
final class RackMap implements RackResolver {
  private final Map<String, String> racks;

  private RackMap(Map<String, String> racks) {
    this.racks = racks;
  }

  /**
   * @param pairs {@code host=rack}; empty ones and comments ({@code #}) are left out
   * @param source where they are from, for messages
   * @throws IllegalArgumentException quoting a pair that is none
   */
  static RackMap of(Iterable<String> pairs, String source) {
    Map<String, String> racks = new HashMap<>();
    for (String text : pairs) {
      String pair = text.strip();
      if (pair.isEmpty() || pair.startsWith("#")) {
        continue;
      }
      int equals = pair.indexOf('=');
      String host = equals < 0 ? "" : pair.substring(0, equals).strip();
      String rack = equals < 0 ? "" : pair.substring(equals + 1).strip();
      if (host.isEmpty() || rack.isEmpty()) {
        throw new IllegalArgumentException(source + ": '" + pair + "' is not host=rack");
      }
      racks.put(host.toLowerCase(Locale.ROOT), rack);
    }
    return new RackMap(racks);
  }

  /**
   * Pairs with commas between them.
   *
   * @param key that has them
   */
  static RackMap ofList(String list, String key) {
    return of(List.of(list.split(",")), key);
  }

  /**
   * One pair per line.
   *
   * @param key that names the file
   * @throws IOException naming the file when it cannot be read
   */
  static RackMap ofFile(Path file, String key) throws IOException {
    List<String> lines;
    try {
      lines = Files.readAllLines(file);
    } catch (IOException e) {
      throw new IOException(key + "=" + file + " cannot be read: " + e, e);
    }
    return of(lines, file.toString());
  }

  @Override
  public String known(String host) {
    return racks.getOrDefault(host.toLowerCase(Locale.ROOT), DEFAULT_RACK);
  }

  @Override
  public String resolve(String host) {
    return known(host);
  }
}
