package dev.sailfish.hadoop.am;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.hadoop.mapreduce.split.JobSplit.TaskSplitMetaInfo;
import org.apache.hadoop.mapreduce.v2.app.rm.ContainerAllocator;
import org.apache.hadoop.mapreduce.v2.app.rm.ContainerAllocatorEvent;
import org.junit.jupiter.api.Test;

class StockPartsTest {
  /** An allocator of another kind, as another release may have. */
  private static final class Other implements ContainerAllocator {
    @Override
    public void handle(ContainerAllocatorEvent event) {
      throw new AssertionError(event);
    }
  }

  @Test
  void shouldFindWhatNeedsNoJob() {
    StockParts.processHasBegun();
    assertThat(StockParts.shutdownHook(null)).isNotNull();
  }

  @Test
  void shouldNameWhatIsMissing() {
    assertThatThrownBy(() -> StockParts.headroom(new Other()))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("RMContainerRequestor.getAvailableResources")
        .hasMessageContaining("yarn.app.mapreduce.am.command-opts");
  }

  @Test
  void lengthOfSplitsIsWhereItIsLookedFor() throws Exception {
    assertThat(StockParts.splitOfMap().getType()).isEqualTo(TaskSplitMetaInfo.class);
  }
}
