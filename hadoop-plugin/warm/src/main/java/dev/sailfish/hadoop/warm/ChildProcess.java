package dev.sailfish.hadoop.warm;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.PrivilegedExceptionAction;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.ipc.CallerContext;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JvmTask;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskLog;
import org.apache.hadoop.mapred.TaskUmbilicalProtocol;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.counters.Limits;
import org.apache.hadoop.mapreduce.security.TokenCache;
import org.apache.hadoop.mapreduce.security.token.JobTokenIdentifier;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.metrics2.source.JvmMetrics;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.SecurityUtil;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.util.StringUtils;
import org.apache.hadoop.yarn.YarnUncaughtExceptionHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is done once per process: the job's configuration, its user, the ApplicationMaster. */
final class ChildProcess implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(ChildProcess.class);

  private static final String SESSION_ID = "session.id";

  private final ChildParts parts;
  private final JobConf base;
  private final JobXml jobXml = new JobXml();
  private final UserGroupInformation loginUser;
  private final Token<JobTokenIdentifier> jobToken;
  private final TaskUmbilicalProtocol umbilical;
  private final Object jvmId;
  private final Object context;
  private final ScheduledExecutorService logSyncer;

  private ChildProcess(ChildParts parts, String[] args) throws Exception {
    this.parts = parts;
    base = jobFile();
    Limits.init(base);
    UserGroupInformation.setConfiguration(base);
    SecurityUtil.setConfiguration(base);
    InetSocketAddress address =
        NetUtils.createSocketAddrForHost(args[0], Integer.parseInt(args[1]));
    TaskAttemptID first = TaskAttemptID.forName(args[2]);
    jvmId = parts.jvmId(first, Long.parseLong(args[3]));
    context = parts.jvmContext(jvmId);
    setCallerContext(first);
    startMetrics(first.getTaskType());
    loginUser = UserGroupInformation.getCurrentUser();
    Credentials credentials = loginUser.getCredentials();
    LOG.info("Executing with tokens: {}", credentials.getAllTokens());
    jobToken = TokenCache.getJobToken(credentials);
    SecurityUtil.setTokenService(jobToken, address);
    umbilical = umbilical(first, address);
    logSyncer = TaskLog.createLogSyncer();
  }

  /**
   * Starts.
   *
   * @param args of Hadoop's {@code YarnChild}
   * @throws Exception whatever Hadoop throws when it cannot start
   */
  static ChildProcess start(ChildParts parts, String[] args) throws Exception {
    Thread.setDefaultUncaughtExceptionHandler(new YarnUncaughtExceptionHandler());
    return new ChildProcess(parts, args);
  }

  /**
   * The job's configuration as it was localized. Each task writes its own {@code job.xml} into the
   * working directory, in the place of a link to this one.
   */
  private static JobConf jobFile() throws IOException {
    File file = new File(MRJobConfig.JOB_CONF_FILE).getCanonicalFile();
    JobConf job = new JobConf(new Path(file.toURI()));
    LOG.debug("{} keys", job.size()); // Parses the file.
    return job;
  }

  private TaskUmbilicalProtocol umbilical(TaskAttemptID first, InetSocketAddress address)
      throws IOException, InterruptedException {
    UserGroupInformation owner = UserGroupInformation.createRemoteUser(first.getJobID().toString());
    owner.addToken(jobToken);
    PrivilegedExceptionAction<TaskUmbilicalProtocol> connect =
        () ->
            RPC.getProxy(
                TaskUmbilicalProtocol.class,
                RPC.getProtocolVersion(TaskUmbilicalProtocol.class),
                address,
                base);
    return owner.doAs(connect);
  }

  /** Asks the ApplicationMaster once; null when it has no task now. */
  JvmTask ask() throws Exception {
    return parts.getTask(umbilical, context);
  }

  /** How calls to servers name the attempt that the current thread works for. */
  static void setCallerContext(TaskAttemptID attempt) {
    CallerContext.setCurrent(new CallerContext.Builder("mr_" + attempt).build());
  }

  /** Metrics under the name that Hadoop gives to tasks of a kind. */
  static void startMetrics(TaskType kind) {
    DefaultMetricsSystem.initialize(StringUtils.camelize(kind.name()) + "Task");
  }

  /** Metrics of the JVM, for the attempt that runs. */
  void startJvmMetrics(JobConf job) {
    JvmMetrics.initSingleton(jvmId.toString(), job.get(SESSION_ID, ""));
  }

  ChildParts parts() {
    return parts;
  }

  /** The job's, which no attempt changes. */
  JobConf base() {
    return base;
  }

  /** How attempts write it. */
  JobXml jobXml() {
    return jobXml;
  }

  Token<JobTokenIdentifier> jobToken() {
    return jobToken;
  }

  /** Whom Hadoop has logged in when the process began. */
  UserGroupInformation loginUser() {
    return loginUser;
  }

  TaskUmbilicalProtocol umbilical() {
    return umbilical;
  }

  /** As Hadoop's task ends: nothing is logged afterwards. */
  @Override
  public void close() {
    RPC.stopProxy(umbilical);
    DefaultMetricsSystem.shutdown();
    TaskLog.syncLogsShutdown(logSyncer);
  }
}
