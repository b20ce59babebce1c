package dev.sailfish.localcluster.client;

import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.Directories;
import dev.sailfish.localcluster.Distribution;
import dev.sailfish.localcluster.LogTail;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Runs a job jar in a client JVM that has the cluster's configuration, Hadoop's jars and, for
 * delegation tokens and the lineage store, the client jar on its class path and nothing else,
 * through Hadoop's own {@code RunJar}: what {@code hadoop jar} does. The JVM does not outlive this
 * one.
 *
 * @param distribution where Hadoop's jars are
 * @param clusterConf the cluster's configuration directory
 */
public record JobClient(Distribution distribution, Path clusterConf) {
  private static final String PLAN_EXPORT = "dev.sailfish.hadoop.am.PlanExport";
  private static final String REDUCE_RERUN = "dev.sailfish.hadoop.am.rerun.ReduceRerunMain";
  private static final List<String> SMALL = List.of("-Xmx512m", "-XX:+UseSerialGC");
  private static final Duration PLAN_DEADLINE = Duration.ofMinutes(1);
  private static final Duration INTERVAL = Duration.ofMillis(500);
  private static final Duration AS_LONG_AS_IT_TAKES = Duration.ofDays(10_000);

  /** Takes what a client prints, piece by piece, before anything more of it is read. */
  public interface Printed {
    /** Takes the first {@code length} bytes; they are overwritten afterwards. */
    void take(byte[] bytes, int length) throws IOException;
  }

  /**
   * Runs the job jar and waits for it, for as long as it takes; the client talks to the terminal of
   * this process. Returns its exit code.
   *
   * @param out takes the client's standard output, on a thread of its own; absent: the client has
   *     this process's own
   * @param err the same for standard error
   */
  public int runInForeground(JobRequest request, Optional<Printed> out, Optional<Printed> err) {
    ProcessBuilder builder = new ProcessBuilder().inheritIO();
    out.ifPresent(taken -> builder.redirectOutput(Redirect.PIPE));
    err.ifPresent(taken -> builder.redirectError(Redirect.PIPE));
    Pumps pumps = new Pumps(out, err);
    int exitCode = run(request, builder, AS_LONG_AS_IT_TAKES, () -> {}, pumps::start);
    pumps.join();
    return exitCode;
  }

  /**
   * Runs the job jar and waits for it. Returns its exit code.
   *
   * @param request what to run
   * @param log receives what the client prints
   * @param deadline after which the client is ended, which is an error
   * @param whileWaiting called twice a second until the client has ended
   */
  public int run(JobRequest request, Path log, Duration deadline, Runnable whileWaiting) {
    ProcessBuilder builder =
        new ProcessBuilder()
            .redirectInput(new File("/dev/null"))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    return run(request, builder, deadline, whileWaiting, process -> {});
  }

  private int run(
      JobRequest request,
      ProcessBuilder builder,
      Duration deadline,
      Runnable whileWaiting,
      Consumer<Process> started) {
    try (ClientConfiguration configuration =
        ClientConfiguration.create(clusterConf, request.configuration())) {
      builder.environment().put("HADOOP_CONF_DIR", configuration.directory().toString());
      Process process = builder.command(command(request, configuration)).start();
      return toItsEnd(process, deadline, whileWaiting, started);
    } catch (IOException e) {
      throw new CommandException("Cannot start a job client: " + e.getMessage(), e);
    }
  }

  private static int toItsEnd(
      Process process, Duration deadline, Runnable whileWaiting, Consumer<Process> started) {
    Thread hook = new Thread(process::destroy, "end-job-client");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      started.accept(process);
      await(process, deadline, whileWaiting);
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException("Interrupted while a job ran.", e);
    } finally {
      process.destroy();
      Runtime.getRuntime().removeShutdownHook(hook);
    }
  }

  /**
   * Runs a command of Hadoop's file system shell, what {@code hadoop fs} does, in the terminal of
   * this process. Returns its exit code.
   */
  public int runShell(List<String> arguments) {
    ProcessBuilder builder = new ProcessBuilder(shellCommand(arguments)).inheritIO();
    return runShell(builder, AS_LONG_AS_IT_TAKES, () -> {});
  }

  /**
   * The same with what it prints in files.
   *
   * @param out receives its standard output
   * @param log receives what it prints of errors and of waiting
   * @param deadline after which it is ended, which is an error
   * @param whileWaiting called twice a second until it has ended
   */
  public int runShell(
      List<String> arguments, Path out, Path log, Duration deadline, Runnable whileWaiting) {
    ProcessBuilder builder =
        new ProcessBuilder(shellCommand(arguments))
            .redirectInput(new File("/dev/null"))
            .redirectOutput(out.toFile())
            .redirectError(log.toFile());
    return runShell(builder, deadline, whileWaiting);
  }

  private List<String> shellCommand(List<String> arguments) {
    return hadoopCommand(SMALL, clusterConf.toString(), "org.apache.hadoop.fs.FsShell", arguments);
  }

  private static int runShell(ProcessBuilder builder, Duration deadline, Runnable whileWaiting) {
    try {
      return toItsEnd(builder.start(), deadline, whileWaiting, started -> {});
    } catch (IOException e) {
      throw new CommandException("Cannot start the file system shell: " + e.getMessage(), e);
    }
  }

  /**
   * Runs one reduce task of a job that has ended, and waits for it, for as long as it takes; it
   * writes to the terminal of this process. Returns its exit code.
   *
   * @param flags of its JVM
   * @param order what its main class, ReduceRerunMain, reads
   */
  public int runReduce(List<String> flags, byte[] order) {
    List<String> command = hadoopCommand(flags, clusterConf.toString(), REDUCE_RERUN, List.of());
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectOutput(Redirect.INHERIT)
            .redirectError(Redirect.INHERIT);
    try {
      return toItsEnd(
          builder.start(), AS_LONG_AS_IT_TAKES, () -> {}, process -> give(process, order));
    } catch (IOException e) {
      throw new CommandException("Cannot start a reduce task: " + e.getMessage(), e);
    }
  }

  private static void give(Process process, byte[] input) {
    try (OutputStream in = process.getOutputStream()) {
      in.write(input);
    } catch (IOException e) {
      throw new CommandException("The reduce task's JVM has ended before it began.", e);
    }
  }

  private List<String> command(JobRequest request, ClientConfiguration configuration) {
    List<String> arguments = new ArrayList<>(List.of(request.jar().toString()));
    arguments.addAll(request.arguments());
    return hadoopCommand(
        SMALL, configuration.classPath(), "org.apache.hadoop.util.RunJar", arguments);
  }

  private List<String> hadoopCommand(
      List<String> flags, String conf, String mainClass, List<String> arguments) {
    String jars = distribution.hadoopClassPath() + ":" + distribution.clientJar();
    return distribution.javaCommand(flags, conf + ":" + jars, mainClass, arguments);
  }

  /**
   * The plan of reduce work that a job has, or had, as the bytes that its ApplicationMaster stored:
   * whatever file system they are in, Hadoop's classes get them, in a JVM of their own.
   *
   * @param job its id
   * @throws CommandException when there is none, or it cannot be read; says where it would be
   */
  public byte[] storedPlan(String job) {
    Path directory = null;
    try {
      directory = Files.createTempDirectory("sailfish-plan-");
      Path plan = directory.resolve("plan");
      Path log = directory.resolve("log");
      List<String> arguments = List.of(job, plan.toString());
      Process process =
          new ProcessBuilder(hadoopCommand(SMALL, clusterConf.toString(), PLAN_EXPORT, arguments))
              .redirectInput(new File("/dev/null"))
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      boolean ended = process.waitFor(PLAN_DEADLINE.toSeconds(), TimeUnit.SECONDS);
      process.destroy();
      if (!Files.exists(plan)) {
        String[] lines = LogTail.of(log).split("\n");
        throw new CommandException(
            ended
                ? lines[lines.length - 1]
                : "The plan of " + job + " was not read in " + PLAN_DEADLINE.toSeconds() + " s.");
      }
      return Files.readAllBytes(plan);
    } catch (IOException e) {
      throw new CommandException("Cannot read the plan of " + job + ": " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException("Interrupted while the plan of " + job + " was read.", e);
    } finally {
      if (directory != null) {
        Directories.delete(directory);
      }
    }
  }

  private static void await(Process process, Duration deadline, Runnable whileWaiting)
      throws InterruptedException {
    long endNs = System.nanoTime() + deadline.toNanos();
    while (!process.waitFor(INTERVAL.toMillis(), TimeUnit.MILLISECONDS)) {
      if (System.nanoTime() - endNs > 0) {
        throw new CommandException(
            "What was started did not end within " + deadline.toMinutes() + " minutes.");
      }
      whileWaiting.run();
    }
  }
}
