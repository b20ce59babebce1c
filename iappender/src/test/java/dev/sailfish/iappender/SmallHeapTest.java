package dev.sailfish.iappender;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.message.EmptyResponse;
import dev.sailfish.protocol.wire.BindRequest;
import dev.sailfish.protocol.wire.BindResponse;
import dev.sailfish.protocol.wire.BindTarget;
import dev.sailfish.protocol.wire.Binding;
import dev.sailfish.protocol.wire.CreateIfilesResponse;
import dev.sailfish.testkit.ChildJvm;
import dev.sailfish.testkit.TestBytes;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A whole JVM with a small heap appends far more than fits in it. */
@Timeout(120)
class SmallHeapTest {
  private static final long RECORDS = 1_000_000;

  /** Metaserver and chunkserver in one; counts records and drops them. */
  private static final class CountingServer extends FakeServer {
    private final AtomicLong records = new AtomicLong();

    CountingServer() throws IOException {}

    @Override
    void handle(Peer peer, Operation<?, ?> operation, long correlation, byte[] header, byte[] body)
        throws IOException {
      switch (operation.name()) {
        case "CREATE_IFILES" ->
            peer.reply(
                operation,
                correlation,
                CreateIfilesResponse.newBuilder().setChunkBytes(1 << 27).build());
        case "BIND" -> peer.reply(operation, correlation, bind(BindRequest.parseFrom(header)));
        case "APPEND" -> {
          records.addAndGet(BlockHeader.read(ByteBuffer.wrap(body), 0, body.length).records());
          peer.reply(operation, correlation, EmptyResponse.getDefaultInstance());
        }
        default -> peer.reply(operation, correlation, EmptyResponse.getDefaultInstance());
      }
    }

    private BindResponse bind(BindRequest request) {
      BindResponse.Builder response = BindResponse.newBuilder();
      for (BindTarget target : request.getTargetsList()) {
        response.addBindings(
            Binding.newBuilder()
                .setPartition(target.getPartition())
                .setChunk(1 + target.getPartition())
                .setServerId("counting")
                .setHost(address().getHostString())
                .setPort(address().getPort()));
      }
      return response.build();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "plain, none, 8",
    "plain, lz4, 1000",
    "comparator, none, 4",
    "comparator, zstd, 300",
    "combiner, none, 16"
  })
  void eightMebibytesAreEnoughInASmallHeap(String mode, String codec, int partitions)
      throws IOException, InterruptedException {
    try (CountingServer server = new CountingServer()) {
      Process task =
          new ProcessBuilder(
                  ChildJvm.command(
                      SmallHeapTest.class,
                      List.of("-Xmx20m", "-XX:+UseSerialGC"),
                      Integer.toString(server.address().getPort()),
                      mode,
                      codec,
                      Integer.toString(partitions)))
              .redirectErrorStream(true)
              .start();
      String output = new String(task.getInputStream().readAllBytes());
      assertThat(task.waitFor(100, TimeUnit.SECONDS)).isTrue();
      assertThat(task.exitValue()).as(output).isZero();
      assertThat(server.records.get()).isEqualTo(RECORDS);
    }
  }

  /** The task. Arguments: port, mode, codec, partitions. */
  public static void main(String[] arguments) throws IOException {
    IappenderConfig config =
        new IappenderConfig(
            new InetSocketAddress("localhost", Integer.parseInt(arguments[0])),
            "localhost",
            "me",
            8 << 20,
            0,
            0,
            Duration.ofSeconds(60),
            0);
    KeyOrder order =
        arguments[1].equals("comparator")
            ? KeyOrder.of(Keys.BY_LAST_BYTE)
            : KeyOrder.normalized(KeyEncoding.RAW);
    int partitions = Integer.parseInt(arguments[3]);
    IfileSpec spec = new IfileSpec("job_1", partitions, order, CodecId.ofLabel(arguments[2]));
    BlockCombiner identity = arguments[1].equals("combiner") ? SmallHeapTest::copy : null;
    SplittableRandom random = new SplittableRandom(partitions);
    byte[] value = TestBytes.compressible(random, 150, 0.5);
    try (Iappender appender = Iappender.open(config, spec, 0, 0, identity)) {
      for (long i = 0; i < RECORDS; i++) {
        byte[] key = TestBytes.random(random, 10);
        int length = random.nextInt(150);
        appender.append((int) (i % partitions), key, 0, key.length, value, 0, length);
      }
      appender.commit();
    }
  }

  private static void copy(SortedRecords sorted, CombinedOutput combined) throws IOException {
    while (sorted.next()) {
      combined.append(
          sorted.keyBuffer(),
          sorted.keyOffset(),
          sorted.keyLength(),
          sorted.valueBuffer(),
          sorted.valueOffset(),
          sorted.valueLength());
    }
  }
}
