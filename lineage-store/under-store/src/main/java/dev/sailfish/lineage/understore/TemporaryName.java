package dev.sailfish.lineage.understore;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name under which a copy is written until it is whole, in the directory that it will be in:
 *
 * <pre>
 *   .part-r-00000.0000000100000007.9f86d081884c7d65.copying
 *    its name     FID              random           the same for all
 * </pre>
 *
 * <p>Hadoop's jobs take no file that begins with a dot for input. No file of the under store may
 * have such a name; those that a dead writer has left are removed by {@link UnderStore#sweep}.
 *
 * @param name of the file; its beginning, where it is long
 * @param fid of the file, see the master's FIDs
 * @param random makes it one writer's own
 */
public record TemporaryName(String name, long fid, long random) {
  private static final Pattern FORM =
      Pattern.compile("\\.(.+)\\.([0-9a-f]{16})\\.([0-9a-f]{16})\\.copying", Pattern.DOTALL);

  /** Bytes of the file's name that are kept: with the rest, no name is longer than 255 bytes. */
  private static final int LONGEST_NAME = 200;

  /** Cuts a long name. */
  public TemporaryName {
    int end = name.length();
    while (name.substring(0, end).getBytes(StandardCharsets.UTF_8).length > LONGEST_NAME) {
      end = name.offsetByCodePoints(end, -1);
    }
    name = name.substring(0, end);
  }

  /** What a directory's entry says, if it is of this form. */
  public static Optional<TemporaryName> parse(String fileName) {
    Matcher matcher = FORM.matcher(fileName);
    return matcher.matches()
        ? Optional.of(
            new TemporaryName(
                matcher.group(1),
                Long.parseUnsignedLong(matcher.group(2), 16),
                Long.parseUnsignedLong(matcher.group(3), 16)))
        : Optional.empty();
  }

  /** As it is in the directory. */
  public String fileName() {
    return ".%s.%016x.%016x.copying".formatted(name, fid, random);
  }
}
