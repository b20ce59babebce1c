package dev.sailfish.workflow.yarn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.workflow.seal.Applications.Life;
import dev.sailfish.workflow.share.Scheduling;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.QueueConfigurations;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.api.records.QueueStatistics;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.util.Records;
import org.junit.jupiter.api.Test;

/** What is decided without the ResourceManager. */
class YarnLinkTest {
  private static final String FAIR =
      "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler";

  private final Configuration conf = new Configuration(false);

  @Test
  void theSchedulerIsThatOfTheConfiguration() {
    conf.set(YarnConfiguration.MAX_CLUSTER_LEVEL_APPLICATION_PRIORITY, "7");
    Scheduling priorities = new Scheduling(Scheduling.Kind.PRIORITIES, 7);
    Scheduling shares = new Scheduling(Scheduling.Kind.SHARES, 0);
    assertThat(YarnLink.scheduling(conf, "")).isEqualTo(priorities);
    assertThat(YarnLink.scheduling(conf, "fair")).isEqualTo(shares);
    conf.set(YarnConfiguration.RM_SCHEDULER, FAIR);
    assertThat(YarnLink.scheduling(conf, "")).isEqualTo(shares);
    assertThat(YarnLink.scheduling(conf, "capacity")).isEqualTo(priorities);
  }

  private static QueueInfo queue(long allocatedMb, Resource most) {
    QueueStatistics statistics = Records.newRecord(QueueStatistics.class);
    statistics.setAllocatedMemoryMB(allocatedMb);
    QueueConfigurations limits = Records.newRecord(QueueConfigurations.class);
    limits.setEffectiveMaxCapacity(most);
    QueueInfo queue = Records.newRecord(QueueInfo.class);
    queue.setQueueStatistics(statistics);
    queue.setQueueConfigurations(Map.of("", limits));
    return queue;
  }

  @Test
  void aQueueIsFullWhereNoContainerFitsBelowItsMaximum() {
    Resource most = Resource.newInstance(8192, 8);
    assertThat(YarnLink.isFull(queue(7168, most), 1024)).isFalse();
    assertThat(YarnLink.isFull(queue(7168, most), 1025)).isTrue();
    QueueInfo ofShares = Records.newRecord(QueueInfo.class);
    assertThat(YarnLink.isFull(ofShares, 1024)).isFalse();
  }

  @Test
  void whatReadersSayIsNotTakenForAnApplication() throws IOException {
    Scheduling scheduling = YarnLink.scheduling(conf, "");
    try (YarnLink yarn = new YarnLink(conf, scheduling, "test", System::nanoTime)) {
      assertThat(
              yarn.applications(
                  List.of("", "none", "application_1", "application_99999999999999999999_1")))
          .isEmpty();
      assertThat(yarn.life("application_1_x")).isEqualTo(Life.UNKNOWN);
    }
  }
}
