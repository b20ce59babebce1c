package dev.sailfish.cli.progress;

import dev.sailfish.localcluster.client.JobClient;
import java.io.PrintStream;
import java.util.Optional;

/** Where progress is shown. For any thread. */
interface Screen {
  /** Shows a line in place of the last one that was shown. */
  void show(String line);

  /** Prints a line that stays. */
  void print(String line);

  /** Takes away what does not stay; nothing is shown afterwards. */
  void end();

  /** What has to take what others print to {@code stream}; absent: they may print by themselves. */
  Optional<JobClient.Printed> others(PrintStream stream);
}
