package dev.sailfish.hadoop.am.report;

import dev.sailfish.ground.wire.Clock;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.hadoop.JobKey;
import dev.sailfish.hadoop.SailfishJob;
import dev.sailfish.hadoop.auto.ReduceMode;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.workbuilder.plan.PlanText;
import dev.sailfish.workbuilder.plan.ReducePlan;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.security.authorize.AccessControlList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gathers what happens to a job, and has each change reported to the web process. Bounded: of
 * events the newest {@value #MOST_EVENTS} are kept. Thread-safe; no method but {@link #close}
 * waits.
 */
public final class JobReporter implements JobListener {
  private static final Logger LOG = LoggerFactory.getLogger(JobReporter.class);

  static final int MOST_EVENTS = 1_000;
  private static final int MOST_TEXT = 1_000;

  private final int attempt;
  private final ReduceMode mode;
  private final String viewAcl;
  private final ReportSender sender;
  private final Clock clock;
  private final Deque<JobReport.Event> events = new ArrayDeque<>();
  private long eventsLeftOut;
  private long sequence;
  private long planningBegunMs;
  private long planMadeMs;
  private ReducePlan plan;
  private End end;

  /**
   * Owns the sender.
   *
   * @param attempt of the ApplicationMaster, from 1
   * @param viewAcl who may see the job besides its owner; null: lists do not count for it
   */
  JobReporter(int attempt, ReduceMode mode, String viewAcl, ReportSender sender, Clock clock) {
    this.attempt = attempt;
    this.mode = mode;
    this.viewAcl = viewAcl;
    this.sender = sender;
    this.clock = clock;
  }

  /**
   * Begins to report a job whose configuration names a web process. Nothing is sent before the job
   * runs. What is wrong with the configuration is logged, and nothing is reported.
   *
   * @param job its name
   * @param attempt of the ApplicationMaster, from 1
   * @param credentials of the job; asked only where something is reported
   * @return {@link JobListener#NONE} where nothing is reported
   */
  public static JobListener start(
      JobConf conf, String job, int attempt, ReduceMode mode, Supplier<Credentials> credentials) {
    try {
      SailfishJob settings = SailfishJob.keys(conf);
      String address = settings.get(JobKey.WEB_ADDRESS);
      if (address.isEmpty()) {
        return NONE;
      }
      Credentials own = credentials.get();
      ReportPost post =
          new ReportPost(address, job, own, () -> ask(settings, job, own), settings.tls());
      LOG.info("The job is reported to {}", address);
      Clock clock = Network.SOCKETS;
      return new JobReporter(
          attempt,
          mode,
          viewAcl(conf),
          ReportSender.start(post, clock, ReportSender.SILENCE),
          clock);
    } catch (IOException | RuntimeException | LinkageError e) {
      LOG.warn("The job is not reported to the web process: see {}", JobKey.WEB_ADDRESS, e);
      return NONE;
    }
  }

  /** The job's list as Hadoop writes it, where its cluster has lists. */
  private static String viewAcl(JobConf conf) {
    return conf.getBoolean(MRConfig.MR_ACLS_ENABLED, false)
        ? new AccessControlList(conf.get(MRJobConfig.JOB_ACL_VIEW_JOB, " ")).getAclString()
        : null;
  }

  /** A metaserver tells them in the handshake. */
  private static void ask(SailfishJob settings, String job, Credentials credentials)
      throws IOException {
    MetaserverClient.connect(
            settings.network(),
            settings.metaservers(),
            "reports of " + job,
            credentials,
            ReportPost.DEADLINE)
        .close();
  }

  @Override
  public synchronized void running() {
    report();
  }

  @Override
  public synchronized void planningBegins() {
    planningBegunMs = clock.wallMs();
    report();
  }

  @Override
  public synchronized void planRefused(String why) {
    happened(JobReport.Kind.PLAN_REFUSED, "", why);
  }

  @Override
  public synchronized void planMade(ReducePlan made) {
    plan = made;
    planMadeMs = clock.wallMs();
    happened(JobReport.Kind.PLAN_MADE, "", PlanText.summary(made));
  }

  @Override
  public synchronized void mapRunsAgain(String task, String why) {
    if (!isTold(JobReport.Kind.MAP_RUNS_AGAIN, task, why)) {
      happened(JobReport.Kind.MAP_RUNS_AGAIN, task, why);
    }
  }

  @Override
  public synchronized void allMapsRunAgain(String why) {
    happened(JobReport.Kind.ALL_MAPS_RUN_AGAIN, "", why);
  }

  @Override
  public synchronized void ended(End how, String why) {
    end = how;
    if (how == End.FAILED) {
      happened(JobReport.Kind.FAILED, "", why);
    } else {
      report();
    }
  }

  /** A reducer that misses several blocks of a map says the same of each. */
  private boolean isTold(JobReport.Kind kind, String task, String text) {
    String cut = cut(text);
    return events.stream()
        .anyMatch(
            event -> event.kind() == kind && event.task().equals(task) && event.text().equals(cut));
  }

  private static String cut(String text) {
    return text.substring(0, Math.min(text.length(), MOST_TEXT)).strip();
  }

  private void happened(JobReport.Kind kind, String task, String text) {
    String cut = cut(text);
    if (events.size() == MOST_EVENTS) {
      events.removeFirst();
      eventsLeftOut++;
    }
    events.addLast(new JobReport.Event(clock.wallMs(), kind, task, cut));
    report();
  }

  private void report() {
    sender.offer(
        new JobReport(
            ++sequence,
            attempt,
            mode.auto() ? "auto" : "fixed",
            mode.why(),
            planningBegunMs,
            planMadeMs,
            plan,
            List.copyOf(events),
            eventsLeftOut,
            end,
            viewAcl));
  }

  /** Waits for the last report, three seconds at most. */
  @Override
  public void close() {
    sender.close();
  }
}
