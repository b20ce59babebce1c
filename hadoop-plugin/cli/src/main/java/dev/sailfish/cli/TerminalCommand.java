package dev.sailfish.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that does something; its call returns the exit code. */
@Command(mixinStandardHelpOptions = true)
public abstract class TerminalCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  /** Takes results; not to be closed. */
  protected final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  /** Takes what is no result; not to be closed. */
  protected final PrintWriter err() {
    return spec.commandLine().getErr();
  }

  /** What to throw when arguments are wrong: prints the message and the usage, exit code 2. */
  protected final ParameterException wrongArguments(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
