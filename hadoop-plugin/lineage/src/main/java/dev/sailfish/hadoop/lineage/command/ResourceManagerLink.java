package dev.sailfish.hadoop.lineage.command;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.NodeReport;
import org.apache.hadoop.yarn.api.records.UpdatedContainer;
import org.apache.hadoop.yarn.client.api.AMRMClient.ContainerRequest;
import org.apache.hadoop.yarn.client.api.async.AMRMClientAsync;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An ApplicationMaster's tie to the ResourceManager, which asks for no container. A thread of its
 * own says each second that the ApplicationMaster lives. For one thread.
 */
final class ResourceManagerLink implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(ResourceManagerLink.class);
  private static final int PERIOD_MS = 1_000;

  private final AMRMClientAsync<ContainerRequest> client;

  /**
   * Registers.
   *
   * @param progress from 0 to 1
   * @param ending told by that thread when the application is to end, or the ResourceManager cannot
   *     be heard any more
   */
  ResourceManagerLink(Configuration conf, Supplier<Float> progress, Runnable ending)
      throws IOException {
    client = AMRMClientAsync.createAMRMClientAsync(PERIOD_MS, new Answers(progress, ending));
    client.init(conf);
    client.start();
    try {
      client.registerApplicationMaster("", 0, "");
    } catch (YarnException e) {
      client.stop();
      throw refused(e);
    }
  }

  private static IOException refused(YarnException e) {
    return new IOException("the ResourceManager refused: " + e.getMessage(), e);
  }

  /**
   * Says that the application has ended.
   *
   * @param cause why it failed; empty: it did not
   */
  void unregister(String cause) throws IOException {
    try {
      client.unregisterApplicationMaster(
          cause.isEmpty() ? FinalApplicationStatus.SUCCEEDED : FinalApplicationStatus.FAILED,
          cause,
          "");
    } catch (YarnException e) {
      throw refused(e);
    }
  }

  @Override
  public void close() {
    client.stop();
  }

  private static final class Answers extends AMRMClientAsync.AbstractCallbackHandler {
    private final Supplier<Float> progress;
    private final Runnable ending;

    Answers(Supplier<Float> progress, Runnable ending) {
      this.progress = progress;
      this.ending = ending;
    }

    @Override
    public float getProgress() {
      return progress.get();
    }

    @Override
    public void onShutdownRequest() {
      LOG.warn("The ResourceManager has the application end");
      ending.run();
    }

    @Override
    public void onError(Throwable e) {
      LOG.error("The ResourceManager cannot be heard", e);
      ending.run();
    }

    @Override
    public void onContainersCompleted(List<ContainerStatus> statuses) {}

    @Override
    public void onContainersAllocated(List<Container> containers) {}

    @Override
    public void onContainersUpdated(List<UpdatedContainer> containers) {}

    @Override
    public void onNodesUpdated(List<NodeReport> nodes) {}
  }
}
