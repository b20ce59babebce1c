package dev.sailfish.hadoop.warm;

import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.ipc.ProtocolSignature;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.mapred.AMFeedback;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JvmTask;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapred.TaskStatus;
import org.apache.hadoop.mapred.TaskUmbilicalProtocol;

/** An ApplicationMaster that has a list of tasks for one process. Thread-safe. */
final class ProbeMaster implements Closeable {
  private final Queue<Task> tasks = new ArrayDeque<>();
  private final List<String> told = new ArrayList<>();
  private final Map<String, Counters> counters = new TreeMap<>();
  private final RPC.Server server;

  ProbeMaster(List<? extends Task> tasks) throws IOException {
    this.tasks.addAll(tasks);
    // A parameter of one of its methods is of a class that is not public.
    TaskUmbilicalProtocol protocol =
        (TaskUmbilicalProtocol)
            Proxy.newProxyInstance(
                ProbeMaster.class.getClassLoader(),
                new Class<?>[] {TaskUmbilicalProtocol.class},
                (proxy, method, arguments) -> answer(method, arguments));
    server =
        new RPC.Builder(new Configuration())
            .setProtocol(TaskUmbilicalProtocol.class)
            .setInstance(protocol)
            .setBindAddress("127.0.0.1")
            .setPort(0)
            .setNumHandlers(2)
            .build();
    server.start();
  }

  int port() {
    return server.getListenerAddress().getPort();
  }

  /** What tasks have told of their ends, in order. */
  synchronized List<String> told() {
    return List.copyOf(told);
  }

  /** The last counters of an attempt. */
  synchronized Counters counters(String attempt) {
    return counters.get(attempt);
  }

  /** How many tasks nobody has asked for. */
  synchronized int waiting() {
    return tasks.size();
  }

  private synchronized Object answer(Method method, Object[] arguments) throws IOException {
    switch (method.getName()) {
      case "getTask":
        return tasks.isEmpty() ? new JvmTask(null, true) : new JvmTask(tasks.remove(), false);
      case "statusUpdate":
        TaskStatus status = (TaskStatus) arguments[1];
        if (status != null) {
          counters.put(arguments[0].toString(), status.getCounters());
        }
        AMFeedback feedback = new AMFeedback();
        feedback.setTaskFound(true);
        return feedback;
      case "done", "fatalError", "fsError":
        told.add(method.getName() + " " + arguments[0]);
        return null;
      case "canCommit":
        return true;
      case "getProtocolVersion":
        return TaskUmbilicalProtocol.versionID;
      case "getProtocolSignature":
        return new ProtocolSignature(TaskUmbilicalProtocol.versionID, null);
      case "hashCode":
        return System.identityHashCode(this);
      case "equals":
        return false;
      default:
        return null;
    }
  }

  @Override
  public void close() {
    server.stop();
  }
}
