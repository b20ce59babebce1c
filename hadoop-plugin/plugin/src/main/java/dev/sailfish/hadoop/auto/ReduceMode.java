package dev.sailfish.hadoop.auto;

import dev.sailfish.hadoop.SailfishJob;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * Whether the data decides how many reduce tasks a job has, and why. A job that asks for it is
 * refused where its configuration shows that its meaning depends on the number of reduce tasks.
 * What no configuration shows is in docs/WORKBUILDER.md.
 *
 * @param auto false: exactly the reduce tasks that the job asks for
 * @param why one sentence for people
 */
public record ReduceMode(boolean auto, String why) {
  private static final String DEFAULTS = "mapred-default.xml";

  // Of other programs, by the names in their configuration.
  private static final String PIG_REQUESTED = "pig.info.reducers.requested.parallel";
  private static final String PIG_DEFAULT = "pig.info.reducers.default.parallel";
  private static final String HIVE_QUERY = "hive.query.id";
  private static final String[] PARTITIONERS = {
    MRJobConfig.PARTITIONER_CLASS_ATTR, "mapred.partitioner.class"
  };
  private static final String[] OUTPUT_FORMATS = {
    MRJobConfig.OUTPUT_FORMAT_CLASS_ATTR, "mapred.output.format.class"
  };

  /** The mode of a job, as its ApplicationMaster knows the configuration. */
  public static ReduceMode of(JobConf conf) {
    String asked = SailfishJob.keys(conf).whyAuto();
    if (asked == null) {
      return new ReduceMode(false, "fixed: as many reduce tasks as the job asks for");
    }
    String refusal = refusal(conf);
    return refusal == null
        ? new ReduceMode(true, "auto (" + asked + "): the data decides")
        : new ReduceMode(false, "fixed, although auto is asked for (" + asked + "): " + refusal);
  }

  private static String refusal(JobConf conf) {
    if (conf.get(HIVE_QUERY) != null) {
      return "a file of a Hive table may have to have a bucket's number, which only Hive knows";
    }
    if (conf.getInt(PIG_REQUESTED, -1) > 0) {
      return "the Pig script says PARALLEL " + conf.get(PIG_REQUESTED);
    }
    if (conf.getInt(PIG_DEFAULT, -1) > 0) {
      return "the Pig script says default_parallel " + conf.get(PIG_DEFAULT);
    }
    String partitioner = first(conf, PARTITIONERS);
    if (partitioner.endsWith(".SkewedPartitioner") && partitioner.startsWith("org.apache.pig.")) {
      return "Pig's skewed join gives the same key to several partitions";
    }
    String format = first(conf, OUTPUT_FORMATS);
    if (format.endsWith(".MapFileOutputFormat")) {
      return "who reads map files finds a key by the number of its partition";
    }
    if (conf.getNumReduceTasks() == 1 && !isDefault(conf)) {
      return "the job asks for one reduce task, so for one output";
    }
    return null;
  }

  /** Whether nobody but Hadoop's defaults says how many reduce tasks there are. */
  private static boolean isDefault(JobConf conf) {
    // In a job's file each value has where it came from, then the file itself.
    String[] sources = conf.getPropertySources(MRJobConfig.NUM_REDUCES);
    return sources == null || sources.length == 0 || sources[0].endsWith(DEFAULTS);
  }

  private static String first(JobConf conf, String... names) {
    for (String name : names) {
      if (conf.get(name) != null) {
        return conf.get(name);
      }
    }
    return "";
  }
}
