package dev.sailfish.cli;

import dev.sailfish.cli.inspect.IfileReport;
import dev.sailfish.cli.inspect.IfileScan;
import dev.sailfish.cli.inspect.RecordText;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sailfish ifile ls|stat|scan|drop}. */
@Command(
    name = "ifile",
    description = "Looks into the I-files of a job that runs or is kept, for people who debug.",
    mixinStandardHelpOptions = true,
    subcommands = {
      IfileCommand.Ls.class,
      IfileCommand.Stat.class,
      IfileCommand.Scan.class,
      IfileCommand.Drop.class
    })
final class IfileCommand {
  /** A question to the servers. */
  abstract static class Question extends TerminalCommand {
    @Mixin private MetaserverOptions metaserver;

    @Override
    public final Integer call() throws IOException {
      ask(new IfileReport(metaserver.metaservers(), out()));
      return 0;
    }

    abstract void ask(IfileReport report) throws IOException;

    /** Hadoop's configuration of the cluster that is asked. */
    final Path hadoopConf() {
      return metaserver.hadoopConf(err());
    }

    final int checked(int partition) {
      if (partition < 0) {
        throw wrongArguments("PARTITION is " + partition + ": partitions are numbered from 0");
      }
      return partition;
    }
  }

  /** A question about one partition. */
  abstract static class PartitionQuestion extends Question {
    @Parameters(index = "0", paramLabel = "JOB", description = "Id of a job.")
    String job;

    @Parameters(index = "1", paramLabel = "PARTITION", description = "Partition, from 0.")
    private int partition;

    final int partition() {
      return checked(partition);
    }
  }

  /** {@code sailfish ifile ls [JOB [PARTITION]]}. */
  @Command(name = "ls", description = "Lists the chunks of a job, or without a job all jobs.")
  static final class Ls extends Question {
    @Parameters(index = "0", arity = "0..1", paramLabel = "JOB", description = "Id of a job.")
    private String job;

    @Parameters(
        index = "1",
        arity = "0..1",
        paramLabel = "PARTITION",
        description = "Only this partition, from 0 (default: all).")
    private Integer partition;

    @Override
    void ask(IfileReport report) {
      if (job == null) {
        report.listJobs();
      } else {
        report.listChunks(job, partition == null ? IfileReport.ALL : checked(partition));
      }
    }
  }

  /** {@code sailfish ifile stat JOB PARTITION}. */
  @Command(
      name = "stat",
      description = "Prints totals of a partition's I-files, and what their SORTED chunks hold.")
  static final class Stat extends PartitionQuestion {
    @Override
    void ask(IfileReport report) {
      report.stat(job, partition());
    }
  }

  /** {@code sailfish ifile scan JOB PARTITION}. */
  @Command(
      name = "scan",
      description = {
        "Prints a partition's records in key order: key, tab, value.",
        "Those of the winning map attempts: which reduce tasks have named if the job keeps its"
            + " I-files, else of each map the attempt that committed last.",
        "Keys are in normalized form: Text and BytesWritable without their length, integers with"
            + " the sign bit flipped. Bytes that are not printable ASCII are written as \\xHH.",
        "Chunks that are still open take no more blocks afterwards, as when a reduce task reads"
            + " them; map tasks go on in other chunks."
      })
  static final class Scan extends PartitionQuestion {
    @Option(
        names = "--from",
        paramLabel = "KEY",
        description = "First key: text, or normalized bytes in hexadecimal behind 0x.")
    private String from;

    @Option(names = "--to", paramLabel = "KEY", description = "The upper key, exclusive.")
    private String to;

    @Option(names = "--limit", paramLabel = "N", description = "Print at most N records.")
    private long limit = Long.MAX_VALUE;

    @Option(
        names = "--keys-as",
        paramLabel = "FORM",
        defaultValue = "text",
        description = "How keys are printed: ${COMPLETION-CANDIDATES} (default: text).")
    private IfileScan.Form keys;

    @Option(names = "--hex", description = "Print keys and values in hexadecimal.")
    private boolean hex;

    @Option(
        names = "--all-attempts",
        description = "Print what all map attempts have written, also those that do not count.")
    private boolean all;

    @Override
    void ask(IfileReport report) {
      byte[] lower = from == null ? null : RecordText.parseKey(from);
      byte[] upper = to == null ? null : RecordText.parseKey(to);
      IfileScan.Form values = hex ? IfileScan.Form.HEX : IfileScan.Form.TEXT;
      IfileScan scan =
          new IfileScan(report, job, partition(), limit, hex ? IfileScan.Form.HEX : keys, values);
      scan.print(all ? null : report.winners(job), lower, upper);
    }
  }

  /** {@code sailfish ifile drop JOB}. */
  @Command(
      name = "drop",
      description = "Deletes what is kept of a job that has ended, before its time has passed.")
  static final class Drop extends Question {
    @Parameters(index = "0", paramLabel = "JOB", description = "Id of a job that has ended.")
    private String job;

    @Override
    void ask(IfileReport report) {
      report.drop(job);
    }
  }
}
