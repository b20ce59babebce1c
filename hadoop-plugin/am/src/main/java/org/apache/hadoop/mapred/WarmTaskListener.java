package org.apache.hadoop.mapred;

import dev.sailfish.hadoop.am.warm.WarmContainers;
import java.io.IOException;
import org.apache.hadoop.mapreduce.security.token.JobTokenSecretManager;
import org.apache.hadoop.mapreduce.v2.app.AppContext;
import org.apache.hadoop.mapreduce.v2.app.rm.RMHeartbeatHandler;
import org.apache.hadoop.mapreduce.v2.app.rm.preemption.AMPreemptionPolicy;

/**
 * Where tasks call the ApplicationMaster, when a JVM may ask for another task after one. Hadoop
 * knows a JVM by its container and the kind of its task, and forgets it with the task; a JVM goes
 * on calling itself what it was at its start. In Hadoop's package, as the ids of JVMs are visible
 * there only.
 */
public final class WarmTaskListener extends TaskAttemptListenerImpl {
  private final WarmContainers tasks;

  /** As Hadoop's own, with the containers that run task after task. */
  public WarmTaskListener(
      AppContext context,
      JobTokenSecretManager secrets,
      RMHeartbeatHandler heartbeats,
      AMPreemptionPolicy preemption,
      byte[] spillKey,
      WarmContainers tasks) {
    super(context, secrets, heartbeats, preemption, spillKey);
    this.tasks = tasks;
  }

  @Override
  public JvmTask getTask(JvmContext context) throws IOException {
    JVMId asking = context.jvmId;
    long number = asking.getId();
    switch (tasks.asked(number)) {
      case WAIT, DONE:
        return null;
      case END:
        return new JvmTask(null, true);
      case TASK:
        JVMId now = new JVMId(asking.getJobId(), tasks.runsMap(number), number);
        JvmTask task = super.getTask(new JvmContext(now, context.pid));
        if (task != null && !task.shouldDie()) {
          tasks.given(number);
        }
        return task;
      default:
        return super.getTask(context);
    }
  }
}
