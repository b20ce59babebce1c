package dev.sailfish.hadoop;

import dev.sailfish.workbuilder.MapWinners;
import java.io.IOException;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.MapTaskCompletionEventsUpdate;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.apache.hadoop.mapred.TaskUmbilicalProtocol;

/** Reads the AM's map completion events over the task umbilical and applies them to the winners. */
final class MapCompletionEvents {
  private static final int FEWEST_EVENTS = 100;
  private static final int MOST_EVENTS = 10_000;
  private static final int EVENTS_OF_ALL_REDUCES = 3_000_000;

  private final TaskUmbilicalProtocol umbilical;
  private final TaskAttemptID reduce;
  private final MapWinners winners;
  private final int eventsPerCall;
  private int nextEvent;

  MapCompletionEvents(
      TaskUmbilicalProtocol umbilical, TaskAttemptID reduce, int reduces, MapWinners winners) {
    this.umbilical = umbilical;
    this.reduce = reduce;
    this.winners = winners;
    // As stock: all reduces together must not make the AM hold too many events at once.
    int share = EVENTS_OF_ALL_REDUCES / Math.max(1, reduces);
    this.eventsPerCall = Math.max(FEWEST_EVENTS, Math.min(MOST_EVENTS, share));
  }

  /**
   * Asks for what is new.
   *
   * @return whether any event came
   */
  boolean poll() throws IOException {
    boolean any = false;
    int received;
    do {
      MapTaskCompletionEventsUpdate update =
          umbilical.getMapCompletionEvents(
              JobID.downgrade(reduce.getJobID()), nextEvent, eventsPerCall, reduce);
      TaskCompletionEvent[] events = update.getMapTaskCompletionEvents();
      received = events.length;
      nextEvent += received;
      for (TaskCompletionEvent event : events) {
        apply(event);
        any = true;
      }
    } while (received == eventsPerCall);
    return any;
  }

  private void apply(TaskCompletionEvent event) {
    TaskAttemptID attempt = event.getTaskAttemptId();
    int map = attempt.getTaskID().getId();
    // No switch: a task would load another class for it.
    TaskCompletionEvent.Status status = event.getTaskStatus();
    if (status == TaskCompletionEvent.Status.SUCCEEDED) {
      winners.succeeded(map, attempt.getId());
    } else if (status == TaskCompletionEvent.Status.TIPFAILED) {
      winners.gaveUp(map);
    } else {
      winners.withdrawn(map, attempt.getId());
    }
  }
}
