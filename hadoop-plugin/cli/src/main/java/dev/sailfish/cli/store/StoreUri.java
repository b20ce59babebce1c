package dev.sailfish.cli.store;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A path of the store as an argument: {@code /a/b}, or {@code lineage:///a/b} as Hadoop writes it.
 */
final class StoreUri implements ITypeConverter<String> {
  private static final String SCHEME = "lineage://";

  /**
   * The path that an argument names.
   *
   * @throws IllegalArgumentException when it names none, or a store by its masters
   */
  static String path(String text) {
    String path = text.startsWith(SCHEME) ? text.substring(SCHEME.length()) : text;
    if (!path.startsWith("/")) {
      throw new IllegalArgumentException(
          "%s is no path of the store: write lineage:///PATH or /PATH, and which store it is with"
                  .formatted(text)
              + " --masters");
    }
    return path;
  }

  @Override
  public String convert(String text) {
    try {
      return path(text);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }
}
