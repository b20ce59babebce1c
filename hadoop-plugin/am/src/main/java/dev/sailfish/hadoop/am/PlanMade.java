package dev.sailfish.hadoop.am;

import dev.sailfish.workbuilder.plan.ReducePlan;
import org.apache.hadoop.mapreduce.v2.api.records.JobId;
import org.apache.hadoop.mapreduce.v2.app.job.event.JobEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.JobEventType;

/**
 * The plan of a job's reduce work is there, and is stored. To stock's state machine it is the event
 * by which a running job looks whether it has anything left to do.
 */
final class PlanMade extends JobEvent {
  private final ReducePlan plan;

  PlanMade(JobId job, ReducePlan plan) {
    super(job, JobEventType.JOB_COMPLETED);
    this.plan = plan;
  }

  ReducePlan plan() {
    return plan;
  }
}
