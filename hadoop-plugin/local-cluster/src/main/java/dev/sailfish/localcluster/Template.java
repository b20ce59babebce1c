package dev.sailfish.localcluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A configuration file of a daemon as this module's resources have it: lines of {@code key = value}
 * with names in {@code ${…}}, and comments behind a #.
 */
final class Template {
  private static final Pattern NAME = Pattern.compile("\\$\\{([a-z.]+)}");

  private Template() {}

  /**
   * The keys and values, in the order of the file.
   *
   * @param name of the file, without its ending
   * @param values what stands for a name; asked anew for each place
   */
  static Map<String, String> fill(String name, UnaryOperator<String> values) {
    Map<String, String> filled = new LinkedHashMap<>();
    for (String line : read(name + ".template").lines().toList()) {
      int equals = line.indexOf(" = ");
      if (!line.startsWith("#") && equals > 0) {
        String value =
            NAME.matcher(line.substring(equals + 3))
                .replaceAll(match -> Matcher.quoteReplacement(values.apply(match.group(1))));
        filled.put(line.substring(0, equals), value);
      }
    }
    return filled;
  }

  private static String read(String resource) {
    try (InputStream in = Template.class.getResourceAsStream(resource)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
