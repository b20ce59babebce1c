package dev.sailfish.lineage.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.lineage.client.FileOutput;
import dev.sailfish.lineage.client.StoreAdmin;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.protocol.WorkerService;
import dev.sailfish.lineage.protocol.wire.BeginCopyRequest;
import dev.sailfish.lineage.protocol.wire.BlockName;
import dev.sailfish.lineage.protocol.wire.CopyBlockRequest;
import dev.sailfish.lineage.protocol.wire.WriteMode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a worker looks for a block of which a writer says that it is elsewhere. */
@Timeout(60)
class CopiedBlocksTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final int TIER_BITS = 2;
  private static final int LENGTH = 10;
  private static final int HOST_FIELD = 4;
  private static final int PORT_FIELD = 5;

  @TempDir private Path directory;
  private MountedStore store;

  @BeforeEach
  void start() throws IOException {
    store = new MountedStore(directory);
    store.startWorker(1, "64m");
  }

  @AfterEach
  void stop() throws IOException {
    store.close();
  }

  /** As former clients name a place: by an address, too. */
  private static CopyBlockRequest request(long fid, int worker, InetSocketAddress at)
      throws IOException {
    ByteString.Output address = ByteString.newOutput();
    CodedOutputStream fields = CodedOutputStream.newInstance(address);
    fields.writeString(HOST_FIELD, at.getHostString());
    fields.writeUInt32(PORT_FIELD, at.getPort());
    fields.flush();
    CopyBlockRequest request =
        CopyBlockRequest.newBuilder()
            .setName(BlockName.newBuilder().setFid(fid))
            .setPlace(worker << TIER_BITS)
            .setLength(LENGTH)
            .build();
    return CopyBlockRequest.parseFrom(request.toByteString().concat(address.toByteString()));
  }

  /** There it would prove that it is of the cluster. */
  @ParameterizedTest
  @ValueSource(ints = {0, 77})
  void aWorkerConnectsToNoAddressThatAWriterNames(int worker) throws IOException {
    Path below = Files.createDirectory(directory.resolve("below"));
    StoreClient client = store.client(true);
    client.mounts().add("/m " + below.toUri() + " sync=0s");
    try (FileOutput out = client.create(MountedStore.file("/m/file", WriteMode.WRITE_THROUGH));
        StoreAdmin admin = store.admin();
        ServerSocketChannel listener = ServerSocketChannel.open();
        Connection connection =
            Connection.open(
                new InetSocketAddress(
                    "127.0.0.1", admin.report().getWorkers(0).getAddress().getPort()),
                "test",
                Credentials.none(),
                DEADLINE)) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      listener.configureBlocking(false);
      connection.call(
          WorkerService.BEGIN_COPY, BeginCopyRequest.newBuilder().setFid(out.fid()).build(), null);
      CopyBlockRequest asked =
          request(out.fid(), worker, (InetSocketAddress) listener.getLocalAddress());
      assertThatThrownBy(() -> connection.call(WorkerService.COPY_BLOCK, asked, null))
          .hasMessageContaining("no worker gives")
          .hasMessageContaining("the master knows no worker " + worker);
      assertThat(listener.accept()).as("a connection of the worker").isNull();
      out.abandon();
    }
  }
}
