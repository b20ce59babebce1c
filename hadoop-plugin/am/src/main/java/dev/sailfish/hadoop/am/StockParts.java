package dev.sailfish.hadoop.am;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import org.apache.hadoop.mapreduce.split.JobSplit.TaskSplitMetaInfo;
import org.apache.hadoop.mapreduce.v2.api.records.TaskType;
import org.apache.hadoop.mapreduce.v2.app.MRAppMaster;
import org.apache.hadoop.mapreduce.v2.app.job.Job;
import org.apache.hadoop.mapreduce.v2.app.job.Task;
import org.apache.hadoop.mapreduce.v2.app.job.impl.JobImpl;
import org.apache.hadoop.mapreduce.v2.app.job.impl.MapTaskImpl;
import org.apache.hadoop.mapreduce.v2.app.rm.ContainerAllocator;
import org.apache.hadoop.mapreduce.v2.app.rm.RMCommunicator;
import org.apache.hadoop.mapreduce.v2.app.rm.RMContainerAllocator;
import org.apache.hadoop.mapreduce.v2.app.rm.RMContainerRequestor;
import org.apache.hadoop.yarn.api.ApplicationMasterProtocol;
import org.apache.hadoop.yarn.api.records.Resource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Private parts of Hadoop's ApplicationMaster that this one cannot do without, by reflection: all
 * of them are here. Where a release has them no more, {@link UnsupportedOperationException} names
 * what is missing.
 */
final class StockParts {
  private static final Logger LOG = LoggerFactory.getLogger(StockParts.class);

  private StockParts() {}

  /** Says that the process was begun by {@code main}: else stock does not end it with the job. */
  static void processHasBegun() {
    try {
      field(MRAppMaster.class, "mainStarted").setBoolean(null, true);
    } catch (ReflectiveOperationException e) {
      throw missing("MRAppMaster.mainStarted", e);
    }
  }

  /** What stock does when the process is ended. */
  static Runnable shutdownHook(MRAppMaster master) {
    String name = MRAppMaster.class.getName() + "$MRAppMasterShutdownHook";
    try {
      Constructor<?> constructor =
          Class.forName(name, true, MRAppMaster.class.getClassLoader())
              .getDeclaredConstructor(MRAppMaster.class);
      constructor.setAccessible(true);
      return (Runnable) constructor.newInstance(master);
    } catch (ReflectiveOperationException e) {
      throw missing(name, e);
    }
  }

  /** Tells a job how many reduce tasks it has; in its event handler only. */
  static void setReduces(JobImpl job, int reduces) {
    set(job, "numReduceTasks", reduces);
  }

  /** Tells a job how many maps it has; in its event handler only. */
  static void setMaps(JobImpl job, int maps) {
    set(job, "numMapTasks", maps);
  }

  private static void set(JobImpl job, String field, int value) {
    try {
      field(JobImpl.class, field).setInt(job, value);
    } catch (ReflectiveOperationException e) {
      throw missing("JobImpl." + field, e);
    }
  }

  /**
   * What the ResourceManager would still give to the job, by its last answer.
   *
   * @param allocator of the ApplicationMaster
   * @return null before the first answer
   */
  static Resource headroom(ContainerAllocator allocator) {
    try {
      Object inner = field(allocator.getClass(), "containerAllocator").get(allocator);
      Method method = RMContainerRequestor.class.getDeclaredMethod("getAvailableResources");
      method.setAccessible(true);
      return (Resource) method.invoke(inner);
    } catch (ReflectiveOperationException | IllegalArgumentException e) {
      throw missing("RMContainerRequestor.getAvailableResources", e);
    }
  }

  /**
   * The length of all splits of a job.
   *
   * @return 0 also where this release does not tell
   */
  static long inputBytes(Job job) {
    long bytes = 0;
    try {
      Field split = splitOfMap();
      for (Task map : job.getTasks(TaskType.MAP).values()) {
        bytes += ((TaskSplitMetaInfo) split.get(map)).getInputDataLength();
      }
      return bytes;
    } catch (ReflectiveOperationException | IllegalArgumentException e) {
      LOG.info("The length of splits is not known: no MapTaskImpl.taskSplitMetaInfo", e);
      return 0;
    }
  }

  /** Where a map's {@link TaskSplitMetaInfo} is. */
  static Field splitOfMap() throws NoSuchFieldException {
    return field(MapTaskImpl.class, "taskSplitMetaInfo");
  }

  /** The key of spills of the job, null where they are not encrypted. */
  static byte[] spillKey(MRAppMaster master) {
    try {
      return (byte[]) field(MRAppMaster.class, "encryptedSpillKey").get(master);
    } catch (ReflectiveOperationException e) {
      throw missing("MRAppMaster.encryptedSpillKey", e);
    }
  }

  /**
   * Puts something between the allocator and the ResourceManager.
   *
   * @param allocator of the ApplicationMaster, which has been started
   * @param between makes it of what the allocator has called until now
   * @return what the allocator does with each heartbeat
   */
  static Callable<Void> putBetween(
      ContainerAllocator allocator, UnaryOperator<ApplicationMasterProtocol> between) {
    try {
      Object inner = field(allocator.getClass(), "containerAllocator").get(allocator);
      Field scheduler = field(RMCommunicator.class, "scheduler");
      Method heartbeat = RMContainerAllocator.class.getDeclaredMethod("heartbeat");
      heartbeat.setAccessible(true);
      synchronized (inner) {
        scheduler.set(inner, between.apply((ApplicationMasterProtocol) scheduler.get(inner)));
      }
      return () -> {
        heartbeat.invoke(inner);
        return null;
      };
    } catch (ReflectiveOperationException e) {
      throw missing("RMCommunicator.scheduler and RMContainerAllocator.heartbeat", e);
    }
  }

  private static Field field(Class<?> type, String name) throws NoSuchFieldException {
    Field field = type.getDeclaredField(name);
    field.setAccessible(true);
    return field;
  }

  private static UnsupportedOperationException missing(String what, Exception cause) {
    return new UnsupportedOperationException(
        "this release of Hadoop has another ApplicationMaster than Sailfish's knows: there is no "
            + what
            + "; without yarn.app.mapreduce.am.command-opts naming "
            + IfileAppMaster.class.getName()
            + " the job runs with Hadoop's own",
        cause);
  }
}
