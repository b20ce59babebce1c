package dev.sailfish.iappender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.ground.wire.Credentials;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Chunkservers that fall silent, in virtual time, with the default deadline. */
@Timeout(60)
class SilentServerTest {
  private static final Duration DEADLINE = Duration.ofSeconds(120);
  private static final Duration PERIOD = DEADLINE.dividedBy(12);
  private static final Duration FOREVER = Duration.ofDays(1);
  private static final Duration GIVEN_UP_AFTER = Duration.ofSeconds(30);
  private static final int PARTITIONS = 4;
  private static final int VALUE_BYTES = 200;

  /** How a server is silent. */
  enum Kind {
    /** It reads nothing, and its socket takes all that the window lets go. */
    NO_ANSWER(1 << 20, false),
    /** It reads nothing, and its socket is full soon. */
    SOCKET_FULL(2 << 10, false),
    /** Its host is gone. */
    HOST_GONE(1 << 20, true);

    final int socketBytes;
    final boolean hostGone;

    Kind(int socketBytes, boolean hostGone) {
      this.socketBytes = socketBytes;
      this.hostGone = hostGone;
    }
  }

  private final List<String> warnings = new ArrayList<>();
  private final Logger logger = Logger.getLogger("dev.sailfish.iappender");
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord line) {
          warnings.add(line.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  private VirtualCluster cluster;
  private Iappender appender;
  private long stalledMs;

  @BeforeEach
  void listen() {
    logger.addHandler(handler);
  }

  @AfterEach
  void stopListening() {
    logger.removeHandler(handler);
    if (appender != null) {
      appender.close();
    }
  }

  private void open(int servers, int socketBytes) throws IOException {
    cluster = new VirtualCluster(servers, socketBytes);
    openAppender();
  }

  private void openAppender() throws IOException {
    IappenderConfig config =
        new IappenderConfig(
            VirtualCluster.metaservers(),
            "localhost",
            "nobody",
            1 << 20,
            1 << 10,
            16 << 10,
            DEADLINE,
            0,
            Credentials.none(),
            cluster);
    IfileSpec spec =
        new IfileSpec("job_1", PARTITIONS, KeyOrder.normalized(KeyEncoding.RAW), CodecId.NONE);
    appender = Iappender.open(config, spec, 7, 1);
  }

  /** Appends until the time is over, a record each 5 ms. */
  private void appendUntil(Duration end) throws IOException {
    byte[] value = new byte[VALUE_BYTES];
    for (int i = 0; cluster.nowMs() < end.toMillis(); i++) {
      long beginMs = cluster.nowMs();
      appender.append(i % PARTITIONS, value, 0, 4, value, 0, VALUE_BYTES);
      noteStall(beginMs);
      cluster.pause(cluster.nanoTime() + 5_000_000, "thinking");
    }
  }

  private void commit() throws IOException {
    long beginMs = cluster.nowMs();
    appender.commit();
    noteStall(beginMs);
  }

  private void noteStall(long beginMs) {
    long callMs = cluster.nowMs() - beginMs;
    stalledMs += callMs < 100 ? 0 : callMs;
  }

  private static Duration seconds(long seconds) {
    return Duration.ofSeconds(seconds);
  }

  @ParameterizedTest
  @EnumSource
  void aServerThatNeverAnswersIsLeftForAnother(Kind kind) throws IOException {
    open(2, kind.socketBytes);
    cluster.silence(0, Duration.ZERO, FOREVER, kind.hostGone);
    appendUntil(seconds(90));
    commit();
    assertThat(stalledMs).as("stall").isLessThan(PERIOD.multipliedBy(2).toMillis() + 500);
    assertThat(cluster.askedMs().get(0)).isBetween(PERIOD.toMillis(), PERIOD.toMillis() + 1000);
    assertThat(cluster.appends(1)).isPositive();
    assertThat(warnings).hasSize(1);
    assertThat(warnings.get(0))
        .contains("server-0 (127.0.0.1:10000)")
        .contains("job=job_1 map=7 attempt=1")
        .containsPattern("no (answer|progress)");
  }

  @ParameterizedTest
  @EnumSource
  void aServerThatFallsSilentIsLeftForAnother(Kind kind) throws IOException {
    open(2, kind.socketBytes);
    cluster.silence(0, seconds(5), FOREVER, kind.hostGone);
    appendUntil(seconds(90));
    commit();
    assertThat(stalledMs).as("stall").isLessThan(PERIOD.multipliedBy(2).toMillis() + 500);
    assertThat(warnings).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource
  void aServerThatIsGivenUpWithBlocksOfTheAttemptFailsItSoon(Kind kind) throws IOException {
    open(2, kind.socketBytes);
    Duration died = seconds(5);
    Duration known = died.plus(GIVEN_UP_AFTER);
    cluster.silence(0, died, FOREVER, kind.hostGone);
    cluster.giveUp(0, known);
    Throwable failure = catchThrowable(() -> appendUntil(seconds(300)));
    assertThat(failure)
        .as("failure at %s ms", cluster.nowMs())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("lost with blocks of this attempt in it")
        .hasMessageContaining("server=server-0 (127.0.0.1:10000)")
        .hasMessageContaining("job=job_1 map=7 attempt=1");
    assertThat(cluster.nowMs())
        .isBetween(known.toMillis(), known.plus(PERIOD.dividedBy(2)).toMillis());
    assertThat(warnings).hasSize(1);
  }

  @Test
  void aLossIsNotCommitted() throws IOException {
    open(2, 1 << 20);
    cluster.silence(0, seconds(5), FOREVER, false);
    cluster.giveUp(0, seconds(27));
    appendUntil(seconds(26));
    cluster.pause(seconds(40).toNanos(), "thinking");
    assertThat(catchThrowable(this::commit))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("lost with blocks of this attempt in it");
    assertThat(cluster.manifest()).isNull();
  }

  @ParameterizedTest
  @EnumSource
  void aServerThatIsGivenUpWithoutBlocksOfTheAttemptIsLeftAtOnce(Kind kind) throws IOException {
    open(2, kind.socketBytes);
    cluster.silence(0, Duration.ZERO, FOREVER, kind.hostGone);
    cluster.giveUp(0, seconds(4));
    appendUntil(seconds(60));
    commit();
    assertThat(stalledMs).as("stall").isLessThan(PERIOD.toMillis() + 500);
    assertThat(warnings).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource
  void aServerThatComesBackIsWaitedFor(Kind kind) throws IOException {
    open(2, kind.socketBytes);
    cluster.silence(0, seconds(5), seconds(18), kind.hostGone);
    appendUntil(seconds(60));
    commit();
    assertThat(warnings).hasSize(1);
    assertThat(cluster.appends(0) - cluster.appends(1)).isBetween(-100, 100);
  }

  @Test
  void theOnlyServerIsWaitedForUntilTheDeadline() throws IOException {
    open(1, 1 << 20);
    cluster.silence(0, seconds(5), FOREVER, false);
    assertThat(catchThrowable(() -> appendUntil(seconds(300))))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("deadline_ms=120000 is over");
    assertThat(cluster.nowMs()).isBetween(125_000L, 140_000L);
    assertThat(warnings).hasSize(1);
  }

  @Test
  void aMetaserverThatIsSilentAtFirstIsWaitedFor() throws IOException {
    cluster = new VirtualCluster(1, 1 << 20);
    cluster.silence(VirtualCluster.METASERVER, seconds(0), seconds(35), false);
    openAppender();
    assertThat(cluster.nowMs()).isBetween(35_000L, 41_000L);
  }

  /** Four attempts of a map last longer than its deadline then. */
  @Test
  void aMetaserverThatStaysSilentIsWaitedForAThirdOfTheDeadline() {
    cluster = new VirtualCluster(1, 1 << 20);
    cluster.silence(VirtualCluster.METASERVER, seconds(0), seconds(1000), false);
    assertThat(catchThrowable(this::openAppender))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot reach the Sailfish metaserver");
    assertThat(cluster.nowMs()).isBetween(35_000L, 45_000L);
  }

  @Test
  void aMetaserverThatIsSilentTooHoldsNothingUp() throws IOException {
    open(2, 1 << 20);
    cluster.silence(0, seconds(5), seconds(30), false);
    cluster.silence(VirtualCluster.METASERVER, seconds(5), seconds(70), false);
    appendUntil(seconds(100));
    commit();
    assertThat(stalledMs).as("stall").isLessThan(seconds(70).toMillis());
    // One for the chunkserver, one for the metaserver.
    assertThat(warnings).hasSize(2);
  }
}
