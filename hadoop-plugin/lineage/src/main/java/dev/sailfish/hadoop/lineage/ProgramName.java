package dev.sailfish.hadoop.lineage;

/** What the programs of a MapReduce job's record are called, besides those of its cache. */
public final class ProgramName {
  /** The job's configuration, without passwords. */
  public static final String JOB_XML = "job.xml";

  /** The user's classes, if the job has a jar. */
  public static final String JOB_JAR = "job.jar";

  /** The splits of the input. */
  public static final String SPLITS = "job.split";

  /** Where each split begins in {@link #SPLITS}. */
  public static final String SPLIT_PLACES = "job.splitmetainfo";

  /** The plan of the reduce work, if the job had one. */
  public static final String PLAN = "reduce.plan";

  /** A recipe that is too long for the record. */
  public static final String RECIPE = "recipe";

  /** What the plan is called in the staging directory. */
  public static final String STAGED_PLAN = "sailfish-reduce-plan";

  /** The file in the staging directory by which a task says that it makes the job's record. */
  public static final String STAGED_CLAIM = "sailfish-lineage-record";

  private ProgramName() {}
}
