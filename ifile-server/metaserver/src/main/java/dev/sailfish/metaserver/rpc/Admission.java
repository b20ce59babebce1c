package dev.sailfish.metaserver.rpc;

import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.message.Introduction;

/**
 * Decides whether a job is admitted that nobody has introduced yet. Called on one thread that may
 * wait, but not for longer than a few seconds.
 */
public interface Admission {
  /**
   * Whose a job is.
   *
   * @param user to whom the job counts in quotas
   * @param byName whether all that speaks for the job is that an application has its name, so that
   *     somebody else may have used the name
   */
  record Admitted(String user, boolean byName) {}

  /**
   * Looks at what speaks for a job.
   *
   * @param job the job's name
   * @param introduction what its task has put into the box; only the task and the metaservers know
   *     it
   * @throws RequestRefusedException NOT_ADMITTED when it is not admitted, BUSY when that cannot be
   *     told now
   */
  Admitted admit(String job, Introduction introduction) throws RequestRefusedException;
}
