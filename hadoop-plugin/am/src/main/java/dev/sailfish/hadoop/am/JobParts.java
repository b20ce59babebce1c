package dev.sailfish.hadoop.am;

import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.jobhistory.JobHistoryParser.TaskInfo;
import org.apache.hadoop.mapreduce.security.token.JobTokenSecretManager;
import org.apache.hadoop.mapreduce.v2.api.records.AMInfo;
import org.apache.hadoop.mapreduce.v2.api.records.JobId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskId;
import org.apache.hadoop.mapreduce.v2.app.AppContext;
import org.apache.hadoop.mapreduce.v2.app.TaskAttemptListener;
import org.apache.hadoop.mapreduce.v2.app.metrics.MRAppMetrics;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.event.EventHandler;
import org.apache.hadoop.yarn.util.Clock;

/** What Hadoop's ApplicationMaster makes a job of. */
record JobParts(
    JobId job,
    ApplicationAttemptId attempt,
    Configuration conf,
    EventHandler<?> events,
    TaskAttemptListener listener,
    JobTokenSecretManager secrets,
    Credentials credentials,
    Clock clock,
    Map<TaskId, TaskInfo> completed,
    MRAppMetrics metrics,
    OutputCommitter committer,
    boolean newApiCommitter,
    String user,
    long submitTime,
    List<AMInfo> masters,
    AppContext context) {}
