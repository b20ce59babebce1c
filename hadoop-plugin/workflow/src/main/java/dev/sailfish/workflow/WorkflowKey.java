package dev.sailfish.workflow;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.config.KeySet;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.server.ServerKeys;
import dev.sailfish.ground.server.daemon.DaemonSettings;
import dev.sailfish.lineage.edge.recompute.Backoff;
import dev.sailfish.lineage.edge.recompute.RecoveryModel;
import dev.sailfish.lineage.edge.recompute.TemporaryFiles;
import dev.sailfish.workflow.recovery.RecoverySettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The configuration keys of a workflow manager. */
public final class WorkflowKey {
  /** All of them. */
  public static final KeySet ALL = new KeySet("sailfish.workflow.");

  static final Key<String> BIND = ALL.text("bind", "0.0.0.0", "address to listen on");
  static final ServerKeys SERVER = ServerKeys.of(ALL, "19873");
  static final Key<List<HostPort>> MASTER_ADDRESS =
      ALL.addresses(
          "master.address",
          "localhost:19868",
          "",
          "where the lineage master is, or all of them with commas between");
  static final Key<String> KERBEROS_PRINCIPAL =
      ALL.text(
          "kerberos.principal",
          "sailfish/_HOST",
          "with a keytab: who the manager is, service/host@REALM; `_HOST` stands for this host. It"
              + " runs applications as their owners, so Hadoop has to let it be their proxy");
  static final Key<Optional<Path>> KERBEROS_KEYTAB =
      ALL.path("kerberos.keytab", "", "file with the principal's key; empty: no Kerberos");
  static final Key<String> NAME =
      ALL.text(
          "name",
          "sailfish",
          "what the manager is called in the tags of its applications, in lower case; managers of one"
              + " store have the same, those of several stores that share a YARN cluster each"
              + " another one");
  static final Key<String> LOCK =
      ALL.text(
          "lock",
          "/.sailfish-workflow",
          "path of the file in the store that the manager which works has open; another one takes"
              + " its place when that was silent for `sailfish.lineage.master.client.lease`");
  static final Key<String> RECOVERY =
      ALL.word(
          "recovery",
          "proactive",
          "proactive|reactive",
          "`proactive`: lost files are recomputed at once, temporary ones when somebody asks for"
              + " them; `reactive`: all of them when somebody asks for them");
  static final Key<List<String>> TEMPORARY =
      ALL.list(
          "temporary",
          "",
          "paths with commas between: files below them are temporary, and recomputed only when"
              + " somebody asks for them");
  static final Key<Integer> STEPS =
      ALL.number("steps", "4", "1..1000", "how many steps run at once; each is an application");
  static final Key<Integer> ATTEMPTS =
      ALL.number(
          "attempts", "4", "1..100", "how often a step is tried before its files are given up");
  static final Key<Duration> RETRY_FIRST =
      ALL.duration(
          "retry.first",
          "5s",
          "0..1h",
          "how long is waited after the first attempt that failed; twice as long after each"
              + " further one");
  static final Key<Duration> RETRY_LONGEST =
      ALL.duration("retry.longest", "2min", "0..1d", "how long is waited at most");
  static final Key<Duration> UNRECOVERABLE =
      ALL.duration(
          "unrecoverable.wait",
          "1min",
          "0..1d",
          "a file that cannot be recomputed, because what it is made of is lost too, is given up"
              + " after so long: a worker may come back with that");
  static final Key<Duration> STARVED =
      ALL.duration(
          "starved",
          "30s",
          "1s..1h",
          "a step that tasks wait for, and that has got no container for so long, is given"
              + " containers of those tasks");
  static final Key<String> QUEUE =
      ALL.text(
          "queue",
          "",
          "queue of YARN in which steps run, where they do not run in the queue of an application"
              + " that waits; empty: the one in which their files were made first");
  static final Key<String> SCHEDULER =
      ALL.word(
          "scheduler",
          "",
          "capacity|fair",
          "`capacity`: steps inherit priorities; `fair`: shares; empty: as"
              + " `yarn.resourcemanager.scheduler.class` in yarn-site.xml says");
  static final Key<Duration> SEAL_UNKNOWN =
      ALL.duration(
          "seal.unknown",
          "10min",
          "0..30d",
          "a job that YARN has not known for so long counts as ended: its lineage record gets no"
              + " more outputs");

  static final Key<Duration> COMMAND_DEADLINE =
      ALL.duration(
          "command.deadline",
          "1d",
          "1s..30d",
          "how long a command of `sailfish lineage run` may run when it makes lost files again");

  private WorkflowKey() {}

  /**
   * The same settings, if a manager can start with them.
   *
   * @throws IOException naming a file that cannot be used
   * @throws IllegalArgumentException naming the key that is wrong
   */
  static Settings checked(Settings settings) throws IOException {
    ALL.check(settings);
    recovery(settings);
    DaemonSettings.of(settings, SERVER, true).checkFiles();
    return settings;
  }

  /**
   * How recovery is done.
   *
   * @throws IllegalArgumentException naming the key that is wrong
   */
  static RecoverySettings recovery(Settings settings) {
    String name = settings.get(NAME);
    if (!name.matches("[a-z0-9.-]{1,60}")) {
      throw settings.wrong(NAME, "must be 1 to 60 of a-z, 0-9, . and -");
    }
    return new RecoverySettings(
        name,
        RecoveryModel.valueOf(settings.get(RECOVERY).toUpperCase(Locale.ROOT)),
        temporary(settings),
        backoff(settings),
        settings.get(STEPS),
        settings.get(QUEUE),
        new RecoverySettings.Waits(
            settings.get(STARVED).toNanos(), settings.get(UNRECOVERABLE).toNanos()));
  }

  private static TemporaryFiles temporary(Settings settings) {
    try {
      return new TemporaryFiles(settings.get(TEMPORARY));
    } catch (IllegalArgumentException e) {
      throw settings.wrong(TEMPORARY, "is wrong: " + e.getMessage());
    }
  }

  private static Backoff backoff(Settings settings) {
    Duration first = settings.get(RETRY_FIRST);
    Duration longest = settings.get(RETRY_LONGEST);
    if (first.compareTo(longest) > 0) {
      throw settings.wrong(RETRY_FIRST, "must not be above " + RETRY_LONGEST + "=" + longest);
    }
    return new Backoff(settings.get(ATTEMPTS), first.toNanos(), longest.toNanos());
  }
}
