package dev.sailfish.web.rights;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Makes short names of Kerberos principals by the rules of {@code hadoop.security.auth_to_local}.
 * The first rule that fits gives the name. Immutable.
 *
 * <p>{@code DEFAULT} fits principals of the own realm, and gives their first part. {@code
 * RULE:[2:$1.$0](.*EXAMPLE)s/a/b/g/L} fits principals of two parts: it writes them as the brackets
 * say, with the realm as {@code $0}; what the parentheses have must match all of that; then {@code
 * s} replaces a pattern once, or with {@code g} everywhere, and {@code L} makes it lower case. All
 * behind the brackets may be missing.
 *
 * <p>Hadoop's own {@code KerberosName} is not used, because this process is free of Hadoop, whose
 * library for that brings Curator and ZooKeeper, and because it has one set of rules for a whole
 * JVM.
 */
final class NameRules {
  private static final String DEFAULT = "DEFAULT";
  private static final String RULE = "RULE:[";
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._$-]{0,254}");
  private static final Pattern PLACE = Pattern.compile("\\$(\\d)");

  private final List<Rule> rules;
  private final String realm;

  /** What one rule does with the parts of a principal; null: it does not fit. */
  private interface Rule {
    String apply(String[] parts, String realm);
  }

  private NameRules(List<Rule> rules, String realm) {
    this.rules = rules;
    this.realm = realm;
  }

  /**
   * Reads rules, with blanks or lines between them; none are {@code DEFAULT}.
   *
   * @param realm the own one
   * @throws IllegalArgumentException naming the place that cannot be read
   */
  static NameRules of(String text, String realm) {
    RuleReader reader = new RuleReader(text);
    List<Rule> rules = new ArrayList<>();
    while (reader.more()) {
      if (reader.skip(DEFAULT)) {
        rules.add((parts, of) -> of.equals(realm) ? parts[0] : null);
      } else {
        rules.add(rule(reader));
      }
    }
    return rules.isEmpty() ? of(DEFAULT, realm) : new NameRules(rules, realm);
  }

  private static Rule rule(RuleReader reader) {
    reader.require(RULE);
    String count = reader.until(':');
    String form = reader.until(']');
    String match = reader.skip("(") ? reader.until(')') : null;
    String from = reader.skip("s/") ? reader.until('/') : null;
    String to = from == null ? "" : reader.until('/');
    boolean everywhere = from != null && reader.skip("g");
    boolean lower = reader.skip("/L") || reader.skip("L");
    reader.end();
    try {
      int parts = Integer.parseInt(count);
      Pattern whole = match == null ? null : Pattern.compile(match);
      Pattern part = from == null ? null : Pattern.compile(from);
      return (given, realm) -> {
        String name = given.length == parts ? written(form, given, realm) : null;
        if (name == null || whole != null && !whole.matcher(name).matches()) {
          return null;
        }
        String replaced = part == null ? name : replaced(part.matcher(name), to, everywhere);
        return lower ? replaced.toLowerCase(Locale.ROOT) : replaced;
      };
    } catch (NumberFormatException e) {
      throw reader.wrong("the number of parts is none: " + count);
    } catch (PatternSyntaxException e) {
      throw reader.wrong("a pattern is wrong: " + e.getDescription());
    }
  }

  private static String replaced(Matcher matcher, String to, boolean everywhere) {
    return everywhere ? matcher.replaceAll(to) : matcher.replaceFirst(to);
  }

  private static String written(String form, String[] parts, String realm) {
    return PLACE
        .matcher(form)
        .replaceAll(
            place -> {
              int number = place.group(1).charAt(0) - '0';
              String part = number == 0 ? realm : number <= parts.length ? parts[number - 1] : "";
              return Matcher.quoteReplacement(part);
            });
  }

  /**
   * The short name of a principal.
   *
   * @param principal with its realm
   * @throws IOException when no rule fits, or what it gives is no name of a user
   */
  String shortName(String principal) throws IOException {
    int at = principal.lastIndexOf('@');
    String[] parts = principal.substring(0, Math.max(at, 0)).split("/", -1);
    String of = principal.substring(at + 1);
    for (Rule rule : rules) {
      String name = rule.apply(parts, of);
      if (name != null) {
        return require(name, principal);
      }
    }
    throw new IOException(
        "no rule of sailfish.web.kerberos.auth.to.local fits principal="
            + principal
            + "; DEFAULT fits those of realm="
            + realm);
  }

  private static String require(String name, String principal) throws IOException {
    if (!NAME.matcher(name).matches()) {
      throw new IOException(
          "sailfish.web.kerberos.auth.to.local makes '%s' of principal=%s, which is no user's name"
              .formatted(name, principal));
    }
    return name;
  }
}
