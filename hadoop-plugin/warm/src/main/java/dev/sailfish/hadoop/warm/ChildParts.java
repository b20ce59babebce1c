package dev.sailfish.hadoop.warm;

import java.io.IOException;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.JvmTask;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskUmbilicalProtocol;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.security.token.JobTokenIdentifier;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.token.Token;

/**
 * Private parts of Hadoop's {@code YarnChild} and {@code Task} that a task's JVM cannot do without,
 * by reflection: all of them are here.
 */
final class ChildParts {
  private static final String NO_PROCESS_ID = "-1000";

  private final Constructor<?> jvmId;
  private final Constructor<?> jvmContext;
  private final Method getTask;
  private final Method configureTask;
  private final Method setSpillKey;
  private final Method reportError;
  private final Method taskCleanup;
  private final Field taskId;

  /**
   * Looks for all parts.
   *
   * @throws UnsupportedOperationException when this release of Hadoop has one no more; it names it
   */
  ChildParts() {
    try {
      Class<?> child = mapred("YarnChild");
      Class<?> context = mapred("JvmContext");
      Class<?> id = mapred("JVMId");
      jvmId = open(id.getDeclaredConstructor(JobID.class, boolean.class, long.class));
      jvmContext = open(context.getDeclaredConstructor(id, String.class));
      getTask = TaskUmbilicalProtocol.class.getMethod("getTask", context);
      configureTask =
          open(
              child.getDeclaredMethod(
                  "configureTask", JobConf.class, Task.class, Credentials.class, Token.class));
      setSpillKey = open(child.getDeclaredMethod("setEncryptedSpillKeyIfRequired", Task.class));
      reportError =
          open(
              child.getDeclaredMethod(
                  "reportError", Exception.class, Task.class, TaskUmbilicalProtocol.class));
      taskCleanup = open(Task.class.getDeclaredMethod("taskCleanup", TaskUmbilicalProtocol.class));
      taskId = open(child.getDeclaredField("taskid"));
    } catch (ReflectiveOperationException e) {
      throw new UnsupportedOperationException(
          "this release of Hadoop has another task than Sailfish knows: there is no "
              + e.getMessage(),
          e);
    }
  }

  /** The id of this JVM, an instance of a class that is not public. */
  Object jvmId(TaskAttemptID first, long container) throws ReflectiveOperationException {
    return jvmId.newInstance(first.getJobID(), first.getTaskType() == TaskType.MAP, container);
  }

  /** By what this JVM asks for tasks. */
  Object jvmContext(Object id) throws ReflectiveOperationException {
    return jvmContext.newInstance(id, NO_PROCESS_ID);
  }

  /** Asks once; null when there is no task now. */
  JvmTask getTask(TaskUmbilicalProtocol umbilical, Object context) throws Exception {
    return (JvmTask) call(getTask, umbilical, context);
  }

  /** Tells a task what only this process knows, and writes its {@code job.xml}. */
  void configureTask(JobConf job, Task task, Credentials credentials, Token<JobTokenIdentifier> jt)
      throws Exception {
    call(configureTask, null, job, task, credentials, jt);
  }

  /** Gives the current user the key by which spills are encrypted. */
  void setSpillKey(Task task) throws Exception {
    call(setSpillKey, null, task);
  }

  /** Tells the ApplicationMaster why an attempt has failed. */
  void reportError(Exception why, Task task, TaskUmbilicalProtocol umbilical) throws IOException {
    try {
      call(reportError, null, why, task, umbilical);
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e);
    }
  }

  /** Deletes what a failed attempt has written. */
  void taskCleanup(Task task, TaskUmbilicalProtocol umbilical) throws Exception {
    call(taskCleanup, task, umbilical);
  }

  /** Says which attempt this process runs. */
  void setTaskId(TaskAttemptID attempt) throws ReflectiveOperationException {
    taskId.set(null, attempt);
  }

  private static Class<?> mapred(String name) throws ClassNotFoundException {
    return Class.forName(Task.class.getPackageName() + "." + name);
  }

  private static <T extends AccessibleObject> T open(T part) {
    part.setAccessible(true);
    return part;
  }

  /** Throws what the method throws. */
  private static Object call(Method method, Object target, Object... arguments) throws Exception {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw (Exception) e.getCause();
    }
  }
}
