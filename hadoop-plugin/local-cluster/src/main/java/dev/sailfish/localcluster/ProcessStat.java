package dev.sailfish.localcluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What {@code /proc/PID/stat} says about one process, see proc(5). Times are in clock ticks of
 * {@link #TICKS_PER_SECOND}.
 *
 * @param pid process id
 * @param state one letter; {@code Z} is a process that ended and was not waited for
 * @param cpuTicks CPU time, also in the kernel, of the process and of all its descendants that
 *     ended and were waited for
 * @param startTicks when the process started, in ticks after boot: with the pid it names a process
 *     for good
 */
public record ProcessStat(long pid, char state, long cpuTicks, long startTicks) {
  /** The kernel's USER_HZ, which is 100 on every platform that Java 17 runs on. */
  public static final int TICKS_PER_SECOND = 100;

  private static final Path PROC = Path.of("/proc");

  /* Positions after the command's closing parenthesis; proc(5) counts pid and command as 1 and 2, the state as 3. */
  private static final int STATE = 0;
  private static final int USER = 11;
  private static final int CHILDREN_SYSTEM = 14;
  private static final int START = 19;

  /** The process with this id, or empty when there is none. */
  public static Optional<ProcessStat> read(long pid) {
    if (!Files.isDirectory(PROC.resolve("self"))) {
      throw new CommandException(
          "The local cluster needs Linux: there is no /proc on this machine.");
    }
    try {
      return Optional.of(
          parse(Files.readString(PROC.resolve(pid + "/stat"), StandardCharsets.ISO_8859_1)));
    } catch (IOException e) {
      // The process ended before or while it was read: the kernel has no other reason to refuse.
      return Optional.empty();
    }
  }

  /**
   * Reads one line of {@code /proc/PID/stat}. The command's name may itself hold blanks and
   * parentheses.
   */
  static ProcessStat parse(String line) {
    int open = line.indexOf('(');
    int close = line.lastIndexOf(')');
    if (open < 0 || close < open) {
      throw new IllegalArgumentException("no command in parentheses: line=" + line);
    }
    String[] fields = line.substring(close + 1).trim().split(" +");
    if (fields.length <= START) {
      throw new IllegalArgumentException(
          "fields=" + fields.length + " expected>" + START + ": line=" + line);
    }
    return new ProcessStat(
        Long.parseLong(line.substring(0, open).trim()),
        fields[STATE].charAt(0),
        Stream.of(fields)
            .skip(USER)
            .limit(CHILDREN_SYSTEM - USER + 1)
            .mapToLong(Long::parseLong)
            .sum(),
        Long.parseLong(fields[START]));
  }

  /** Whether the process still runs code: a zombie does not. */
  public boolean isRunning() {
    return state != 'Z' && state != 'X';
  }

  /** Every running descendant of a process. */
  static List<ProcessStat> descendantsOf(long pid) {
    return ProcessHandle.of(pid).stream()
        .flatMap(ProcessHandle::descendants)
        .flatMap(descendant -> read(descendant.pid()).stream())
        .filter(ProcessStat::isRunning)
        .toList();
  }
}
