package dev.sailfish.workflow.recovery;

import dev.sailfish.workflow.share.ApplicationLook;
import dev.sailfish.workflow.share.Scheduling;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;

/**
 * YARN, as far as recovery needs it. Each method but {@link #scheduling} asks the ResourceManager
 * and waits for its answer; an IOException says that there was none, or that it refused.
 */
public interface Cluster {
  /** By what its scheduler decides. */
  Scheduling scheduling();

  /** Those of these applications that have not ended, by their ids. */
  Map<String, ApplicationLook> applications(Collection<String> ids) throws IOException;

  /**
   * Applications that say that they recompute for an earlier manager, and have not ended, by their
   * dependencies. Anyone can say so: it is one if its user is the record's owner.
   */
  Map<Long, ApplicationLook> recomputes() throws IOException;

  /** Sets the priority of an application. */
  void setPriority(String application, int priority) throws IOException;

  /** Ends an application; nothing happens if it has ended. */
  void kill(String application) throws IOException;

  /** Whether no node has room for one container more like those of an application. */
  boolean isFull(ApplicationLook like) throws IOException;

  /**
   * Whether a queue is at its limit, so that it gets no container more like those of an application
   * although nodes may have room. Of a scheduler whose queues have none: false.
   */
  boolean isFull(String queue, ApplicationLook like) throws IOException;

  /**
   * Takes containers away from tasks that wait for lost files, those first that have run for the
   * shortest time. The tasks are run again later; that is no failure of theirs.
   *
   * @param applications that wait
   * @param count how many containers, at most
   * @return how many were taken
   */
  int takeAway(Collection<String> applications, int count) throws IOException;
}
