package dev.sailfish.hadoop.am.warm;

/** What a JVM that asks for a task is told. */
public enum JvmAnswer {
  /** The pool does not know it: as Hadoop does. */
  UNKNOWN,
  /** Ask again. */
  WAIT,
  /** The same, and its container has just become idle. */
  DONE,
  /** It gets the task of its container's attempt. */
  TASK,
  /** It ends. */
  END
}
