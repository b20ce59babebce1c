package dev.sailfish.hadoop.am.warm;

import org.apache.hadoop.mapreduce.v2.api.records.JobId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskType;
import org.apache.hadoop.mapreduce.v2.util.MRBuilderUtils;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;

/** Of one job, whose containers all are on one node. */
final class Ids {
  static final String HOST = "node1.example.org";
  static final String RACK = "/default-rack";
  static final Resource SIZE = Resource.newInstance(1024, 1);

  private static final ApplicationId APPLICATION = ApplicationId.newInstance(1, 1);

  private Ids() {}

  static TaskAttemptId attempt(TaskType type, int task) {
    JobId job = MRBuilderUtils.newJobId(APPLICATION, 1);
    return MRBuilderUtils.newTaskAttemptId(MRBuilderUtils.newTaskId(job, task, type), 0);
  }

  static ContainerId id(long number) {
    return ContainerId.newContainerId(ApplicationAttemptId.newInstance(APPLICATION, 1), number);
  }

  static Container container(long number) {
    return Container.newInstance(
        id(number), NodeId.newInstance(HOST, 1), HOST + ":2", SIZE, Priority.newInstance(20), null);
  }
}
