package dev.sailfish.hadoop;

import dev.sailfish.ground.wire.Network;
import dev.sailfish.hadoop.auto.WorkCounter;
import dev.sailfish.iappender.BlockCombiner;
import dev.sailfish.iappender.Iappender;
import dev.sailfish.iappender.IappenderConfig;
import dev.sailfish.iappender.IfileSpec;
import dev.sailfish.protocol.client.LeaseKeeper;
import java.io.IOException;
import java.net.InetAddress;
import org.apache.hadoop.io.serializer.SerializationFactory;
import org.apache.hadoop.io.serializer.Serializer;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapred.Task.CombinerRunner;
import org.apache.hadoop.mapred.Task.TaskReporter;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskStatus;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.yarn.api.ApplicationConstants;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The map side of the shuffle: serializes records straight into the iappender's per-partition
 * buffers; nothing is sorted or spilled here. Made by {@link SailfishMapOutputCollector}.
 *
 * <p>Where map output is local files ({@link SailfishJob#whyStock}), stock's collector works
 * instead.
 *
 * <p>{@link #collect} may be called from several threads (MultithreadedMapper), as with stock.
 */
public final class IfileMapOutputCollector<K, V> implements MapOutputCollector<K, V> {
  private static final Logger LOG = LoggerFactory.getLogger(IfileMapOutputCollector.class);

  /** Counters are brought up to date now and then, because each update takes a lock. */
  private static final int RECORDS_PER_UPDATE = 1024;

  // Also for the combiner's results.
  Class<?> keyClass;
  Class<?> valueClass;
  Serializer<K> keySerializer;
  Serializer<V> valueSerializer;

  private MapOutputCollector<K, V> stock;
  private TaskReporter reporter;
  private MapTask map;
  private int partitions;
  private Iappender appender;
  private LeaseKeeper lease;
  private Counters.Counter outputRecords;
  private Counters.Counter outputBytes;
  private Counters.Counter materializedBytes;
  private long countedBytes;
  private int uncounted;
  private boolean committed;

  /** Called by reflection. */
  public IfileMapOutputCollector() {}

  @Override
  public void init(Context context) throws IOException, ClassNotFoundException {
    JobConf job = context.getJobConf();
    String why = SailfishJob.whyStock(job);
    if (why != null) {
      SailfishJob.requireNoneButHadoopEncrypts(job);
      LOG.info("Map output goes to local files, and the stock collector writes them: {}", why);
      stock = new MapTask.MapOutputBuffer<>();
      stock.init(context);
      return;
    }
    long start = System.nanoTime();
    reporter = context.getReporter();
    map = context.getMapTask();
    keyClass = job.getMapOutputKeyClass();
    valueClass = job.getMapOutputValueClass();
    partitions = job.getNumReduceTasks();
    outputRecords = reporter.getCounter(TaskCounter.MAP_OUTPUT_RECORDS);
    outputBytes = reporter.getCounter(TaskCounter.MAP_OUTPUT_BYTES);
    materializedBytes = reporter.getCounter(TaskCounter.MAP_OUTPUT_MATERIALIZED_BYTES);
    openAppender(job);
    if (new SailfishJob(job).whyAuto() != null) {
      WorkCounter.countMapStart(reporter::getCounter);
    }
    LOG.info("Map output goes to I-files: ready in {} ms", (System.nanoTime() - start) / 1_000_000);
    if (appender.heldPartitions() > 0) {
      LOG.info(
          "An earlier attempt's output of {} of {} partitions is held: it is not appended again",
          appender.heldPartitions(),
          partitions);
    }
  }

  private void openAppender(JobConf job) throws IOException, ClassNotFoundException {
    TaskAttemptID attempt = map.getTaskID();
    SailfishJob settings = SailfishJob.of(job);
    Network network = settings.network();
    IappenderConfig config =
        new IappenderConfig(
            settings.metaservers(),
            host(),
            job.getUser(),
            settings.get(JobKey.APPENDER_MEMORY),
            settings.get(JobKey.BLOCK_SIZE).intValue(),
            0,
            settings.get(JobKey.DEADLINE),
            settings.get(JobKey.CHUNK_SIZE),
            settings.credentials(map),
            new ProgressNetwork(network, reporter));
    IfileSpec spec =
        new IfileSpec(
            attempt.getJobID().toString(),
            partitions,
            KeyOrders.of(job),
            settings.codec(),
            settings.encrypted(),
            job.getInt(MRJobConfig.NUM_MAPS, 0),
            settings.keepMs(),
            settings.get(JobKey.KEEP_UNTIL_CHECKPOINTED));
    BlockCombiner combiner = combiner(job, attempt);
    appender = Iappender.open(config, spec, attempt.getTaskID().getId(), attempt.getId(), combiner);
    lease =
        LeaseKeeper.start(
            network, config.metaservers(), spec.job(), attempt.toString(), config.credentials());
    lease.leaseLasts(appender.leaseMs());
    openSerializers(job);
  }

  /** The node's name: YARN tells its containers, which is cheaper and surer than asking DNS. */
  private static String host() throws IOException {
    String host = System.getenv(ApplicationConstants.Environment.NM_HOST.name());
    return host != null ? host : InetAddress.getLocalHost().getHostName();
  }

  /** The job's combiner, or null. What runs it is loaded only if there is one. */
  private BlockCombiner combiner(JobConf job, TaskAttemptID attempt) throws ClassNotFoundException {
    CombinerRunner<K, V> runner =
        CombinerRunner.create(
            job, attempt, reporter.getCounter(TaskCounter.COMBINE_INPUT_RECORDS), reporter, null);
    return runner == null
        ? null
        : TaskCombiner.of(runner, reporter.getCounter(TaskCounter.COMBINE_OUTPUT_RECORDS), this);
  }

  @SuppressWarnings("unchecked")
  private void openSerializers(JobConf job) throws IOException {
    SerializationFactory serializations = new SerializationFactory(job);
    keySerializer = (Serializer<K>) serializations.getSerializer(keyClass);
    keySerializer.open(appender.output());
    valueSerializer = (Serializer<V>) serializations.getSerializer(valueClass);
    valueSerializer.open(appender.output());
  }

  /**
   * Appends one record.
   *
   * <p>Longer than HotSpot inlines (FreqInlineSize, 325 bytes), on purpose: Hadoop calls this
   * through four small methods, and each of them would be compiled with the whole append path in
   * it, which costs a short map task more than appending.
   */
  @Override
  public synchronized void collect(K key, V value, int partition)
      throws IOException, InterruptedException {
    if (stock != null) {
      stock.collect(key, value, partition);
      return;
    }
    reporter.progress();
    if (key.getClass() != keyClass) {
      throw new IOException(
          "Type mismatch in key from map: expected "
              + keyClass.getName()
              + ", received "
              + key.getClass().getName());
    }
    if (value.getClass() != valueClass) {
      throw new IOException(
          "Type mismatch in value from map: expected "
              + valueClass.getName()
              + ", received "
              + value.getClass().getName());
    }
    if (partition < 0 || partition >= partitions) {
      throw new IOException("Illegal partition for " + key + " (" + partition + ")");
    }
    boolean complete = false;
    appender.startRecord(partition);
    try {
      keySerializer.serialize(key);
      appender.endKey();
      valueSerializer.serialize(value);
      appender.endRecord();
      complete = true;
    } finally {
      if (!complete) {
        appender.abandonRecord();
      }
    }
    if (++uncounted == RECORDS_PER_UPDATE) {
      outputRecords.increment(uncounted);
      uncounted = 0;
      outputBytes.increment(appender.serializedBytes() - countedBytes);
      countedBytes = appender.serializedBytes();
    }
  }

  @Override
  public synchronized void flush()
      throws IOException, InterruptedException, ClassNotFoundException {
    if (stock != null) {
      stock.flush();
      return;
    }
    outputRecords.increment(uncounted);
    outputBytes.increment(appender.serializedBytes() - countedBytes);
    try {
      requireEnded();
      appender.commit();
      committed = true;
    } finally {
      if (!committed) {
        // MapTask does not call close after a flush that failed.
        lease.close();
        appender.close();
      }
    }
    materializedBytes.increment(appender.storedBytes());
  }

  /** A map of the new API whose mapper fails closes its output, and so flushes it, all the same. */
  private void requireEnded() throws IOException {
    if (map.getPhase() == TaskStatus.Phase.MAP) {
      throw new IOException(map.getTaskID() + " has not ended: its output does not count");
    }
  }

  @Override
  public synchronized void close() throws IOException, InterruptedException {
    if (stock != null) {
      stock.close();
      return;
    }
    if (!committed) {
      LOG.warn("Map output is closed without having been flushed: it will not count");
    }
    lease.close();
    appender.close();
  }
}
