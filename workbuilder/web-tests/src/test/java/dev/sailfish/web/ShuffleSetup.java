package dev.sailfish.web;

import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.metaserver.Metaserver;
import dev.sailfish.metaserver.MetaserverConfig;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.BindRequest;
import dev.sailfish.protocol.wire.BindTarget;
import dev.sailfish.protocol.wire.ChunkBlocks;
import dev.sailfish.protocol.wire.ChunkReport;
import dev.sailfish.protocol.wire.CommitManifestRequest;
import dev.sailfish.protocol.wire.CreateIfilesRequest;
import dev.sailfish.protocol.wire.HeartbeatRequest;
import dev.sailfish.protocol.wire.HeartbeatResponse;
import dev.sailfish.protocol.wire.PartitionManifest;
import dev.sailfish.protocol.wire.RegisterChunkserverRequest;
import dev.sailfish.protocol.wire.RegisterChunkserverResponse;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A metaserver in this JVM, with a chunkserver that is only told of: its reports are made here. For
 * one thread.
 */
final class ShuffleSetup implements Closeable {
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final String SERVER = "s1";
  private static final int NORMALIZED = 1;

  /** What the sort of each chunk takes. */
  static final long SORT_CPU_US = 5_000;

  private final Metaserver metaserver;
  private final Credentials cluster;
  private final Connection chunkserver;

  /**
   * @param port of the metaserver; 0: any free one
   * @param secret file and bytes of the cluster's secret; absent: nobody is authenticated
   */
  ShuffleSetup(int port, Optional<Map.Entry<String, byte[]>> secret) throws IOException {
    Map<String, String> properties = new HashMap<>();
    properties.put("sailfish.metaserver.host", "127.0.0.1");
    properties.put("sailfish.metaserver.port", Integer.toString(port));
    properties.put("sailfish.metaserver.web.port", "0");
    properties.put("sailfish.metaserver.journal.dir", "none");
    secret.ifPresentOrElse(
        file -> properties.put("sailfish.metaserver.cluster.secret.file", file.getKey()),
        () -> properties.put("sailfish.metaserver.authentication", "none"));
    metaserver = Metaserver.start(MetaserverConfig.of(properties));
    cluster =
        secret.map(file -> Credentials.ofCluster(file.getValue())).orElseGet(Credentials::none);
    chunkserver = Connection.open(Network.SOCKETS, address(), "chunkserver s1", cluster, DEADLINE);
    chunkserver.call(
        IfileService.REGISTER_CHUNKSERVER,
        RegisterChunkserverRequest.newBuilder()
            .setServerId(SERVER)
            .setHost("127.0.0.1")
            .setPort(1)
            .setMemoryCapacity(1L << 40)
            .setDiskCapacity(1L << 40)
            .build(),
        RegisterChunkserverResponse.parser());
  }

  InetSocketAddress address() {
    return new InetSocketAddress("127.0.0.1", metaserver.port());
  }

  /** {@code host:port}, as settings have it. */
  String place() {
    return "127.0.0.1:" + metaserver.port();
  }

  /** Address of the metaserver's pages. */
  String pages() {
    return "http://127.0.0.1:" + metaserver.webPort();
  }

  MetaserverClient client(Credentials credentials) throws IOException {
    return MetaserverClient.connect(address(), "test", credentials, DEADLINE);
  }

  MetaserverClient cluster() throws IOException {
    return client(cluster);
  }

  static void create(MetaserverClient client, String job, int partitions) throws IOException {
    create(client, job, partitions, "ann");
  }

  static void create(MetaserverClient client, String job, int partitions, String user)
      throws IOException {
    client.createIfiles(
        CreateIfilesRequest.newBuilder()
            .setJob(job)
            .setPartitions(partitions)
            .setOrdering(NORMALIZED)
            .setCodec(0)
            .setUser(user)
            .build());
  }

  /** A map writes to a partition; its chunk, which is sorted afterwards or not. */
  void write(MetaserverClient client, String job, int partition, long bytes, boolean sorted)
      throws IOException {
    long chunk =
        client
            .bind(
                BindRequest.newBuilder()
                    .setJob(job)
                    .setMap(partition)
                    .setHost("127.0.0.1")
                    .addTargets(BindTarget.newBuilder().setPartition(partition))
                    .build())
            .getBindings(0)
            .getChunk();
    client.commitManifest(
        CommitManifestRequest.newBuilder()
            .setJob(job)
            .setMap(partition)
            .addPartitions(
                PartitionManifest.newBuilder()
                    .setPartition(partition)
                    .setRecords(7)
                    .setRawBytes(bytes)
                    .addBlocks(
                        ChunkBlocks.newBuilder().setChunk(chunk).addSequences(0).addSequences(1)))
            .build());
    report(job, partition, chunk, bytes, ChunkState.STABLE);
    if (sorted) {
      report(job, partition, chunk, bytes, ChunkState.SORTED);
    }
  }

  private void report(String job, int partition, long chunk, long bytes, ChunkState state)
      throws IOException {
    chunkserver.call(
        IfileService.HEARTBEAT,
        HeartbeatRequest.newBuilder()
            .setServerId(SERVER)
            .addChanged(
                ChunkReport.newBuilder()
                    .setChunk(chunk)
                    .setJob(job)
                    .setPartition(partition)
                    .setState(state.code())
                    .setRawBytes(bytes)
                    .setStoredBytes(bytes / 2)
                    .setSortCpuUs(state == ChunkState.SORTED ? SORT_CPU_US : 0)
                    .setRecords(7))
            .build(),
        HeartbeatResponse.parser());
  }

  @Override
  public void close() throws IOException {
    chunkserver.close();
    metaserver.close();
  }
}
