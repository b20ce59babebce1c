package dev.sailfish.chunkserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.metaserver.Metaserver;
import dev.sailfish.metaserver.MetaserverConfig;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.BindRequest;
import dev.sailfish.protocol.wire.BindTarget;
import dev.sailfish.protocol.wire.Binding;
import dev.sailfish.protocol.wire.ChunkDescription;
import dev.sailfish.protocol.wire.CreateIfilesRequest;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The chunkserver with the real metaserver: binding, reports, and the end of a job. */
@Seeded
class MetaserverTest {
  private static final String JOB = "job_8_0001";

  @TempDir private Path directory;

  @Test
  void shouldTakeABoundAppendTellItsStateAndForgetTheJob(SplittableRandom random)
      throws IOException {
    Map<String, String> settings =
        Map.of(
            "sailfish.metaserver.host", "127.0.0.1",
            "sailfish.metaserver.port", "0",
            "sailfish.metaserver.web.port", "0",
            "sailfish.metaserver.journal.dir", "none",
            "sailfish.metaserver.authentication", "none");
    try (Metaserver metaserver = Metaserver.start(MetaserverConfig.of(settings));
        TestServer server =
            new TestServer(
                directory,
                new HashMap<>(Map.of("metaserver.address", "127.0.0.1:" + metaserver.port())));
        MetaserverClient meta =
            MetaserverClient.connect(
                new InetSocketAddress("127.0.0.1", metaserver.port()),
                "test",
                Duration.ofSeconds(30));
        ChunkserverClient client = server.connect()) {
      server.awaitHeartbeats();
      long chunkBytes =
          meta.createIfiles(
                  CreateIfilesRequest.newBuilder()
                      .setJob(JOB)
                      .setPartitions(2)
                      .setOrdering(Ordering.NORMALIZED.code())
                      .setCodec(CodecId.SNAPPY.code())
                      .setUser("tester")
                      .build())
              .getChunkBytes();
      Binding binding = bind(meta);
      assertThat(binding.getServerId()).isEqualTo(server.server().id());
      assertThat(binding.getPort()).isEqualTo(server.server().port());
      TestIfile ifile = new TestIfile(JOB, 1, Ordering.NORMALIZED, CodecId.SNAPPY, chunkBytes);
      TestBlock block =
          TestBlock.random(random, new TestBlock.Source(1, 0, 0, 0), CodecId.SNAPPY, 50_000);
      assertThat(ifile.append(client, binding.getChunk(), block)).isNull();
      ifile.assertHolds(client, binding.getChunk(), List.of(block));
      await()
          .untilAsserted(
              () ->
                  assertThat(meta.describeJob(JOB, 1).getChunksList())
                      .extracting(ChunkDescription::getState)
                      .containsExactly(3));
      meta.deleteJob(JOB);
      server.awaitCount(ChunkserverMetric.MEMORY_USED_BYTES, 0);
    }
  }

  private static Binding bind(MetaserverClient meta) throws IOException {
    return meta.bind(
            BindRequest.newBuilder()
                .setJob(JOB)
                .setHost("127.0.0.1")
                .addTargets(BindTarget.newBuilder().setPartition(1))
                .build())
        .getBindings(0);
  }
}
