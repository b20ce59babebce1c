package dev.sailfish.hadoop.lineage.command;

import dev.sailfish.hadoop.lineage.ProgramName;
import dev.sailfish.lineage.protocol.wire.ProgramFile;
import java.util.Map;
import java.util.TreeMap;

/** What the recipe of a command is made of. */
public final class CommandRecipe {
  private CommandRecipe() {}

  /** Whether a program of the record is for the command, and not the record's own recipe. */
  public static boolean isOfTheCommand(ProgramFile program) {
    return !program.getName().equals(ProgramName.RECIPE);
  }

  /**
   * Of a process's environment what changes the bytes that usual commands write: where programs are
   * found, language, order of letters, time zone.
   */
  public static Map<String, String> environment(Map<String, String> whole) {
    Map<String, String> kept = new TreeMap<>(whole);
    kept.keySet().removeIf(name -> !name.matches("PATH|LANG|LANGUAGE|LC_[A-Z]+|TZ"));
    return kept;
  }
}
