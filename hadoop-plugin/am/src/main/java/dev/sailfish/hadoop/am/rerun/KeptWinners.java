package dev.sailfish.hadoop.am.rerun;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import org.apache.hadoop.mapred.AMFeedback;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.MapTaskCompletionEventsUpdate;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.apache.hadoop.mapred.TaskID;
import org.apache.hadoop.mapred.TaskStatus;
import org.apache.hadoop.mapred.TaskUmbilicalProtocol;
import org.apache.hadoop.mapreduce.TaskType;

/**
 * The ApplicationMaster's side of the umbilical for one task of a job that has ended: tells the
 * winning map attempts as they were, and lets the task commit. A proxy, because the umbilical's
 * methods have types that only Hadoop's own package can name. Thread-safe.
 */
final class KeptWinners implements InvocationHandler {
  private final TaskCompletionEvent[] events;
  private final PrintStream out;

  private KeptWinners(TaskCompletionEvent[] events, PrintStream out) {
    this.events = events;
    this.out = out;
  }

  /**
   * The umbilical.
   *
   * @param maps how many the job has; those without a winner were given up
   * @param winners pairs (map, attempt)
   * @param out takes what the task reports of its errors
   */
  static TaskUmbilicalProtocol umbilical(JobID job, int maps, int[] winners, PrintStream out) {
    TaskCompletionEvent[] events = new TaskCompletionEvent[maps];
    for (int i = 0; i < winners.length; i += 2) {
      int map = winners[i];
      events[map] = event(job, map, winners[i + 1], TaskCompletionEvent.Status.SUCCEEDED);
    }
    for (int map = 0; map < maps; map++) {
      if (events[map] == null) {
        events[map] = event(job, map, 0, TaskCompletionEvent.Status.TIPFAILED);
      }
    }
    return (TaskUmbilicalProtocol)
        Proxy.newProxyInstance(
            TaskUmbilicalProtocol.class.getClassLoader(),
            new Class<?>[] {TaskUmbilicalProtocol.class},
            new KeptWinners(events, out));
  }

  private static TaskCompletionEvent event(
      JobID job, int map, int attempt, TaskCompletionEvent.Status status) {
    TaskAttemptID id = new TaskAttemptID(new TaskID(job, TaskType.MAP, map), attempt);
    return new TaskCompletionEvent(map, id, map, true, status, "");
  }

  @Override
  public Object invoke(Object umbilical, Method method, Object[] arguments) throws IOException {
    switch (method.getName()) {
      case "statusUpdate" -> {
        return heard((TaskStatus) arguments[1]);
      }
      case "getMapCompletionEvents" -> {
        int from = Math.min((int) arguments[1], events.length);
        int to = (int) Math.min((long) from + (int) arguments[2], events.length);
        return new MapTaskCompletionEventsUpdate(Arrays.copyOfRange(events, from, to), false);
      }
      case "canCommit" -> {
        return true;
      }
      case "reportDiagnosticInfo", "shuffleError", "fsError", "fatalError" -> {
        out.println(arguments[0] + ": " + arguments[1]);
        return null;
      }
      case "getProtocolVersion" -> {
        return TaskUmbilicalProtocol.versionID;
      }
      case "toString" -> {
        return "winners of a job that has ended";
      }
      default -> {
        return null;
      }
    }
  }

  private static AMFeedback heard(TaskStatus status) throws IOException {
    if (status != null && !status.getFetchFailedMaps().isEmpty()) {
      throw new IOException(
          "what is kept of the job is not complete, and no map runs again: lost="
              + status.getFetchFailedMaps());
    }
    AMFeedback feedback = new AMFeedback();
    feedback.setTaskFound(true);
    return feedback;
  }
}
