package dev.sailfish.workflow.step.command;

import dev.sailfish.hadoop.lineage.Passwords;
import dev.sailfish.hadoop.lineage.command.CommandMain;
import dev.sailfish.hadoop.lineage.command.CommandOrder;
import dev.sailfish.hadoop.lineage.wire.Recipe;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.workflow.step.StepRequest;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.mapreduce.JobSubmissionFiles;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.security.TokenCache;
import org.apache.hadoop.mapreduce.v2.util.MRApps;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.yarn.api.ApplicationConstants;
import org.apache.hadoop.yarn.api.ApplicationConstants.Environment;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.LocalResource;
import org.apache.hadoop.yarn.api.records.LocalResourceType;
import org.apache.hadoop.yarn.api.records.LocalResourceVisibility;
import org.apache.hadoop.yarn.api.records.URL;

/**
 * The container of a step, and the staging directory from which it gets its files. As the record's
 * owner, for one thread.
 */
final class CommandContainer {
  private static final Path STORE = new Path("lineage:///");

  /** Of the process that starts the command. */
  private static final String FLAGS = "-Xmx256m -XX:+UseSerialGC";

  private static final int PROCESS_MB = 512;
  private static final int DEFAULT_MB = 1024;

  private final Configuration cluster;
  private final Path staging;

  /**
   * @param staging where nothing is
   */
  CommandContainer(Configuration cluster, Path staging) {
    this.cluster = cluster;
    this.staging = staging;
  }

  /** What the container has, in MB: what the command may use, and the process that starts it. */
  static int memoryMb(Recipe recipe) {
    int own = recipe.getCommand().getMemoryMb();
    return PROCESS_MB + (own == 0 ? DEFAULT_MB : own);
  }

  /** Writes the staging directory, and says how the container is started. */
  ContainerLaunchContext of(StepRequest request, Recipe recipe, Duration deadline)
      throws IOException {
    FileSystem files = staging.getFileSystem(cluster);
    FileSystem.mkdirs(files, staging, JobSubmissionFiles.JOB_DIR_PERMISSION);
    Map<String, LocalResource> resources = new HashMap<>();
    Configuration conf = new Configuration(cluster);
    Passwords.remove(conf);
    stage(files, resources, CommandOrder.CONFIGURATION, conf::writeXml);
    stage(files, resources, CommandOrder.RECIPE, recipe::writeTo);
    addFramework(resources);
    CommandOrder order =
        new CommandOrder(
            request.record().getId(),
            deadline,
            request.outputs().stream().map(DependencyOutput::getFid).toList());
    return ContainerLaunchContext.newInstance(
        resources, environment(), List.of(command(order)), Map.of(), tokens(), Map.of());
  }

  /** Writes a file. */
  private interface Content {
    void to(OutputStream out) throws IOException;
  }

  private void stage(
      FileSystem files, Map<String, LocalResource> resources, String name, Content content)
      throws IOException {
    Path file = new Path(staging, name);
    try (OutputStream out =
        FileSystem.create(files, file, JobSubmissionFiles.JOB_FILE_PERMISSION)) {
      content.to(out);
    }
    resources.put(
        name,
        resource(
            files.getFileStatus(file),
            LocalResourceType.FILE,
            LocalResourceVisibility.APPLICATION));
  }

  private static LocalResource resource(
      FileStatus file, LocalResourceType type, LocalResourceVisibility visibility) {
    return LocalResource.newInstance(
        URL.fromPath(file.getPath()), type, visibility, file.getLen(), file.getModificationTime());
  }

  /** Hadoop itself, where the cluster has it as an archive. */
  private void addFramework(Map<String, LocalResource> resources) throws IOException {
    String framework = cluster.get(MRJobConfig.MAPREDUCE_APPLICATION_FRAMEWORK_PATH, "");
    if (!framework.isEmpty()) {
      URI uri = URI.create(framework);
      Path archive = new Path(uri.getScheme(), uri.getAuthority(), uri.getPath());
      FileStatus file = archive.getFileSystem(cluster).getFileStatus(archive);
      resources.put(
          uri.getFragment() == null ? archive.getName() : uri.getFragment(),
          resource(file, LocalResourceType.ARCHIVE, LocalResourceVisibility.PRIVATE));
    }
  }

  /** As a job's ApplicationMaster has it. */
  private Map<String, String> environment() throws IOException {
    Map<String, String> environment = new HashMap<>();
    MRApps.setClasspath(environment, cluster);
    for (String key : List.of(MRJobConfig.MR_AM_ADMIN_USER_ENV, MRJobConfig.MR_AM_ENV)) {
      MRApps.setEnvFromInputProperty(environment, key, null, cluster);
    }
    return environment;
  }

  private String command(CommandOrder order) {
    List<String> words = new ArrayList<>();
    words.add(MRApps.crossPlatformifyMREnv(cluster, Environment.JAVA_HOME) + "/bin/java");
    words.add(FLAGS);
    MRApps.addLog4jSystemProperties(null, words, cluster);
    words.add(CommandMain.class.getName());
    words.addAll(order.arguments());
    words.add("1>" + ApplicationConstants.LOG_DIR_EXPANSION_VAR + "/stdout");
    words.add("2>" + ApplicationConstants.LOG_DIR_EXPANSION_VAR + "/stderr");
    return String.join(" ", words);
  }

  /** By which the container proves who it is to file systems and to the store. */
  private ByteBuffer tokens() throws IOException {
    Credentials credentials = new Credentials();
    TokenCache.obtainTokensForNamenodes(credentials, new Path[] {staging, STORE}, cluster);
    DataOutputBuffer out = new DataOutputBuffer();
    credentials.writeTokenStorageToStream(out);
    return ByteBuffer.wrap(out.getData(), 0, out.getLength());
  }
}
