package dev.sailfish.benchmarks.jobs.loss;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.localcluster.DaemonRecord;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ChunkserverLossTest {
  @Test
  void eachRoundHasTheNextChunkserverAndThenTheFirstAgain() {
    List<DaemonRecord> servers =
        IntStream.rangeClosed(1, 4)
            .mapToObj(i -> new DaemonRecord("chunkserver-" + i, i, 1, "127.0.0.1:1", "", ""))
            .toList();
    assertThat(IntStream.rangeClosed(1, 6).mapToObj(i -> ChunkserverLoss.ofRound(servers, i)))
        .extracting(DaemonRecord::pid)
        .containsExactly(1L, 2L, 3L, 4L, 1L, 2L);
  }
}
