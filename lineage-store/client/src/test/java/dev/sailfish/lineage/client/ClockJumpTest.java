package dev.sailfish.lineage.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.wire.Clock;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.token.DelegationKey;
import dev.sailfish.lineage.master.LineageMaster;
import dev.sailfish.lineage.master.LineageMasterKey;
import dev.sailfish.lineage.protocol.LineageService;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import dev.sailfish.testkit.FreePort;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three masters whose clocks leap and go back by minutes and hours, each for itself, while clients
 * create, complete and delete files, a file is written, files live for some time, and users come
 * with tokens.
 */
@Seeded
@Timeout(300)
class ClockJumpTest {
  private static final byte[] SECRET =
      "the secret of three masters".getBytes(StandardCharsets.US_ASCII);
  private static final int CLIENTS = 2;
  private static final int JUMPS = 8;
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  /** A leap counts for 5 s of the journal's time at most: all of them for less than this. */
  private static final Duration LONG_LIFE = Duration.ofMinutes(10);

  private static final Duration SHORT_LIFE = Duration.ofSeconds(2);

  @TempDir private Path directory;

  private final List<InetSocketAddress> addresses = new ArrayList<>();
  private final List<JumpingClock> clocks = new ArrayList<>();
  private final List<LineageMaster> masters = new ArrayList<>();
  private NamespaceLoads loads;

  /** This machine's clocks, and what they have jumped. */
  private static final class JumpingClock implements Clock {
    private final AtomicLong jumpedMs = new AtomicLong();

    @Override
    public long nanoTime() {
      return System.nanoTime() + Duration.ofMillis(jumpedMs.get()).toNanos();
    }

    @Override
    public long wallMs() {
      return System.currentTimeMillis() + jumpedMs.get();
    }

    void jump(Duration step) {
      jumpedMs.addAndGet(step.toMillis());
    }
  }

  @BeforeEach
  void start() throws IOException {
    Path secret = Files.write(directory.resolve("secret"), SECRET);
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
    for (int i = 0; i < 3; i++) {
      addresses.add(new InetSocketAddress("127.0.0.1", FreePort.next()));
      clocks.add(new JumpingClock());
    }
    String peers =
        IntStream.range(0, 3)
            .mapToObj(i -> i + "=127.0.0.1:" + addresses.get(i).getPort())
            .collect(Collectors.joining(","));
    for (int i = 0; i < 3; i++) {
      List<String> settings =
          List.of(
              "host=127.0.0.1",
              "port=" + addresses.get(i).getPort(),
              "web.port=0",
              "cluster.secret.file=" + secret,
              "journal.dir=" + directory.resolve("journal-" + i),
              "peer=" + i,
              "peers=" + peers);
      Path file = directory.resolve("master-" + i + ".properties");
      Files.write(file, settings.stream().map(one -> LineageMasterKey.ALL.prefix() + one).toList());
      masters.add(LineageMaster.start(Settings.read(file), clocks.get(i)));
    }
  }

  @AfterEach
  void stop() {
    if (loads != null) {
      loads.close();
    }
    masters.forEach(LineageMaster::close);
  }

  private NamespaceClient client(long id, Credentials credentials, StoreUser user) {
    return new NamespaceClient(Configs.of(addresses, credentials, user), id);
  }

  /** A user who comes with a token that was given just now. */
  private NamespaceClient alice(long id) {
    DelegationKey key = new DelegationKey(SECRET, LineageService.TOKENS, Duration.ofDays(7));
    byte[] identifier = key.issue("alice", "", "", System.currentTimeMillis()).identifier();
    return client(
        id,
        Credentials.ofToken(identifier, key.password(identifier)),
        StoreUser.newBuilder().setName("alice").build());
  }

  @Test
  void nothingIsLostAndNobodysTimeIsOver(Seed seed) throws Exception {
    Random random = seed.random();
    loads = new NamespaceLoads(addresses, SECRET, CLIENTS, seed, () -> {});
    Credentials cluster = Credentials.ofCluster(SECRET);
    try (NamespaceClient client = client(77, cluster, TestStore.ROOT)) {
      client.makeDirectories("/times", 0777);
      long written = client.create(TestStore.file("/times/written")).getEntry().getFid();
      client.createEmpty(TestStore.file("/times/long"));
      client.setExpiry("/times/long", LONG_LIFE.toMillis(), false);
      for (int i = 0; i < JUMPS; i++) {
        Duration step = Duration.ofSeconds(60 + random.nextInt(5 * 3600));
        clocks.get(random.nextInt(3)).jump(random.nextBoolean() ? step : step.negated());
        awaitChanges(10);
        client.renew();
        try (NamespaceClient user = alice(100 + i)) {
          user.createEmpty(TestStore.file("/times/alice-" + i));
        }
      }
      assertThat(client.complete(written, 0, List.of()).getComplete()).isTrue();
      assertThat(client.use("/times/long").getLeftMs())
          .isBetween(LONG_LIFE.toMillis() / 2, LONG_LIFE.toMillis());
      assertTimeGoesOn(client);
    }
    loads.end();
    loads.assertAllIsThere();
  }

  private void awaitChanges(long count) {
    long before = loads.changes();
    await("somebody leads, and changes are acknowledged")
        .atMost(DEADLINE)
        .until(() -> loads.changes() >= before + count);
  }

  private static void assertTimeGoesOn(NamespaceClient client) throws IOException {
    client.createEmpty(TestStore.file("/times/short"));
    client.setExpiry("/times/short", SHORT_LIFE.toMillis(), false);
    await("a file's time is over")
        .atMost(DEADLINE)
        .untilAsserted(
            () ->
                assertThatThrownBy(() -> client.stat("/times/short"))
                    .isInstanceOf(StoreRefusedException.class));
  }
}
