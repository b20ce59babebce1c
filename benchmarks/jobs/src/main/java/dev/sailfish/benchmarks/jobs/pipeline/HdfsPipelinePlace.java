package dev.sailfish.benchmarks.jobs.pipeline;

import dev.sailfish.benchmarks.jobs.measure.Span;
import dev.sailfish.benchmarks.jobs.storage.HdfsPlace;
import dev.sailfish.localcluster.LocalCluster;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * HDFS. With one copy, what a batch has made is lost as a whole, and the text is there again at
 * once; with three, nothing is lost, and the DataNodes that it takes to have them again go on.
 */
public final class HdfsPipelinePlace implements PipelinePlace {
  private final HdfsPlace hdfs;
  private final AfterLoss afterLoss;
  private final FileShell shell;

  /**
   * @param hdfs which runs
   * @param copies of each file
   * @param cluster whose jobs use it
   */
  public HdfsPipelinePlace(HdfsPlace hdfs, int copies, LocalCluster cluster) {
    this.hdfs = hdfs;
    this.afterLoss = copies == 1 ? AfterLoss.BEGINS_AGAIN : AfterLoss.GOES_ON;
    this.shell = new FileShell(cluster);
    shell.run("-mkdir", "-p", base());
  }

  @Override
  public String base() {
    return hdfs.address() + "/bench-pipeline";
  }

  @Override
  public Map<String, String> keys() {
    return hdfs.keys();
  }

  @Override
  public void put(Path text, String name) {
    Map<String, String> keys = new TreeMap<>(hdfs.keys());
    keys.remove("dfs.client.read.shortcircuit"); // the shell has no native library, and says so
    shell.run(keys, List.of("-put", text.toUri().toString(), base() + "/" + name));
  }

  @Override
  public double ownCpuSeconds() {
    return hdfs.cpuSeconds().getAsDouble();
  }

  @Override
  public double cpuSeconds(Span.Usage usage) {
    return usage.all().cpuSeconds() - usage.sailfish().cpuSeconds();
  }

  @Override
  public AfterLoss lose(Span span) {
    return afterLoss;
  }

  @Override
  public void settle() {}

  @Override
  public Optional<String> mistakeOfLoss(Span.Usage usage) {
    return Optional.empty();
  }

  @Override
  public void close() {
    shell.run("-rm", "-r", "-skipTrash", base());
  }
}
