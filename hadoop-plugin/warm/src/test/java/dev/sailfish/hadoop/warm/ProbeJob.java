package dev.sailfish.hadoop.warm;

import dev.sailfish.hadoop.warm.ProbeContainer.Classes;
import dev.sailfish.hadoop.warm.user.ProbeMapper;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.lib.output.NullOutputFormat;
import org.apache.hadoop.mapreduce.security.TokenCache;
import org.apache.hadoop.mapreduce.security.token.JobTokenIdentifier;
import org.apache.hadoop.mapreduce.security.token.JobTokenSecretManager;
import org.apache.hadoop.mapreduce.split.JobSplit.TaskSplitMetaInfo;
import org.apache.hadoop.mapreduce.split.JobSplitWriter;
import org.apache.hadoop.mapreduce.split.SplitMetaInfoReader;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.token.Token;

/** A job of maps, each of which reads one word that says what it does. */
final class ProbeJob {
  private static final String CLUSTER = "1700000000000";
  private static final JobID JOB = new JobID(CLUSTER, 1);

  private ProbeJob() {}

  /** The attempt of a map. */
  static String attempt(int map) {
    return new TaskAttemptID(CLUSTER, 1, TaskType.MAP, map, 0).toString();
  }

  /** Writes the job's configuration, inputs and splits, and makes its maps. */
  static List<MapTask> write(ProbeContainer container, File jobFile, List<String> acts)
      throws IOException, InterruptedException {
    Job job = Job.getInstance(new Configuration());
    Configuration conf = job.getConfiguration();
    conf.set(ProbeMapper.DIRECTORY, container.findings().toString());
    conf.setBoolean(MRJobConfig.MAPREDUCE_JOB_CLASSLOADER, container.mode() == Classes.OF_HADOOP);
    conf.set(MRJobConfig.MAP_CLASS_ATTR, ProbeMapper.class.getName());
    conf.setBoolean("mapred.mapper.new-api", true);
    conf.set("sailfish.reduce.work", "auto");
    job.setOutputFormatClass(NullOutputFormat.class);
    job.setNumReduceTasks(0);
    try (OutputStream out = new FileOutputStream(jobFile)) {
      conf.writeXml(out);
    }
    FileSplit[] splits = new FileSplit[acts.size()];
    for (int i = 0; i < splits.length; i++) {
      File input = new File(container.root(), "input-" + i);
      Files.writeString(input.toPath(), acts.get(i));
      splits[i] =
          new FileSplit(new Path(input.toURI()), 0, input.length(), new String[] {"localhost"});
    }
    FileSystem local = FileSystem.getLocal(conf);
    Path submit = new Path(container.root().toURI());
    JobSplitWriter.createSplitFiles(submit, conf, local, splits);
    return maps(SplitMetaInfoReader.readSplitMetaInfo(JOB, local, conf, submit));
  }

  private static List<MapTask> maps(TaskSplitMetaInfo[] splits) throws IOException {
    List<MapTask> maps = new ArrayList<>();
    for (int i = 0; i < splits.length; i++) {
      TaskAttemptID attempt = TaskAttemptID.forName(attempt(i));
      MapTask map =
          new MapTask(MRJobConfig.JOB_CONF_FILE, attempt, i, splits[i].getSplitIndex(), 1);
      map.setEncryptedSpillKey(new byte[1]);
      setUser(map);
      maps.add(map);
    }
    return maps;
  }

  /** As Hadoop's ApplicationMaster does it, in a package of its own. */
  private static void setUser(Task task) throws IOException {
    try {
      Method setUser = Task.class.getDeclaredMethod("setUser", String.class);
      setUser.setAccessible(true);
      setUser.invoke(task, "probe");
    } catch (ReflectiveOperationException e) {
      throw new IOException(e);
    }
  }

  /** Writes the tokens of a container. */
  static void writeTokens(File file) throws IOException {
    Credentials credentials = new Credentials();
    JobTokenIdentifier id = new JobTokenIdentifier(new Text(JOB.toString()));
    TokenCache.setJobToken(new Token<>(id, new JobTokenSecretManager()), credentials);
    credentials.writeTokenStorageFile(new Path(file.toURI()), new Configuration());
  }
}
