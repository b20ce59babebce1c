package dev.sailfish.lineage.qfs.meta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.lineage.qfs.wire.BrokenConnectionException;
import dev.sailfish.lineage.qfs.wire.Clock;
import dev.sailfish.lineage.qfs.wire.ConnectionSettings;
import dev.sailfish.lineage.qfs.wire.Connections;
import dev.sailfish.lineage.qfs.wire.QfsError;
import dev.sailfish.lineage.qfs.wire.QfsException;
import dev.sailfish.lineage.qfs.wire.ScriptedServer;
import dev.sailfish.lineage.qfs.wire.ScriptedServer.Asked;
import dev.sailfish.lineage.qfs.wire.ScriptedServer.Script;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class MetaClientTest {
  private static final RetrySettings RETRY =
      new RetrySettings(Duration.ofSeconds(2), Duration.ofMillis(1), Duration.ofMillis(50));

  private final List<ScriptedServer> servers = new ArrayList<>();
  private final Connections connections =
      new Connections(
          ConnectionSettings.DEFAULTS.withRequest(Duration.ofSeconds(10)), Clock.SYSTEM);

  private HostPort server(Script script) throws IOException {
    ScriptedServer made = new ScriptedServer(script);
    servers.add(made);
    return made.address();
  }

  private MetaClient client(HostPort... metaservers) {
    return new MetaClient(List.of(metaservers), new Owner(7, 8), connections, RETRY);
  }

  private static boolean isGreeting(Asked asked) {
    return asked.fields().containsKey("Auth-type");
  }

  private static byte[] greeting(Asked asked) {
    return asked.ok("Vr-primary: 1", "Auth-type: 1");
  }

  /** What was asked after the greeting. */
  private List<Asked> asked(int server) {
    return servers.get(server).requests().stream().filter(asked -> !isGreeting(asked)).toList();
  }

  @AfterEach
  void closeAll() throws IOException {
    connections.close();
    for (ScriptedServer server : servers) {
      server.close();
    }
  }

  @Test
  void attributesComeWithLongNames() throws IOException {
    MetaClient client =
        client(
            server(
                asked ->
                    isGreeting(asked)
                        ? greeting(asked)
                        : asked.ok(
                            "File-handle: 12",
                            "Type: file",
                            "File-size: 100000",
                            "Replication: 2",
                            "Chunk-count: 1",
                            "M-Time: 1795000000 500",
                            "CR-Time: 1795000000 0",
                            "User: 4294967295",
                            "Group: 5",
                            "Mode: 420")));
    FileInfo file = client.stat("/t/s.dat");
    assertThat(file)
        .isEqualTo(
            new FileInfo(
                12,
                "s.dat",
                false,
                100_000,
                2,
                1,
                FileInfo.UNKNOWN,
                FileInfo.UNKNOWN,
                1_795_000_000_000_500L,
                1_795_000_000_000_000L,
                new Owner(-1, 5),
                0644,
                null));
    assertThat(asked(0).get(0).fields())
        .containsEntry("Pathname", "/t/s.dat")
        .containsEntry("UserId", "7")
        .containsEntry("GroupId", "8");
  }

  @Test
  void aDirectorysEntriesAreShortAndHexadecimal() throws IOException {
    String body =
        "B\nN:.\nH:5\nT:dir\nB\nN:s: dat\nH:1f\nT:file\nM:660C5E9FD26A1\nCR:660C5E9FCE2A8\n"
            + "U:0\nG:a\nA:1A4\nCC:1\nS:186a0\nB\nN:striped\nH:20\nT:file\nS:-1\nR:3\nST:2\n"
            + "SC:6\nSR:3\nSS:10000\n";
    MetaClient client =
        client(
            server(
                asked ->
                    isGreeting(asked)
                        ? greeting(asked)
                        : asked.operation().equals("READDIRPLUS")
                            ? asked.reply(0, body, "Num-Entries: 3", "Has-more-entries: 1")
                            : asked.ok("File-handle: 5", "Type: dir")));
    DirectoryPage page = client.list("/t", "r", 100);
    assertThat(page.more()).isTrue();
    assertThat(page.last()).isEqualTo("striped");
    assertThat(page.entries()).extracting(FileInfo::name).containsExactly("s: dat", "striped");
    FileInfo plain = page.entries().get(0);
    assertThat(plain.id()).isEqualTo(31);
    assertThat(plain.size()).isEqualTo(100_000);
    assertThat(plain.modifiedUs()).isEqualTo(0x660C5E9FD26A1L);
    assertThat(plain.owner()).isEqualTo(new Owner(0, 10));
    assertThat(plain.replication()).isEqualTo(1);
    assertThat(plain.striping()).isNull();
    assertThat(page.entries().get(1).striping()).isEqualTo(new Striping(2, 6, 3, 65536));
    assertThat(page.entries().get(1).size()).isEqualTo(FileInfo.UNKNOWN);
    assertThat(asked(0).get(1).fields()).containsEntry("Fname-start", "r");
  }

  @Test
  void aLayoutComesInPages() throws IOException {
    MetaClient client =
        client(
            server(
                asked -> {
                  if (isGreeting(asked)) {
                    return greeting(asked);
                  }
                  return asked.number("Start-offset") == 0
                      ? asked.reply(
                          0,
                          "0 10 1 2 a 80 b 81 67108864 11 3 1 a 80",
                          "Num-chunks: 2",
                          "Has-more-chunks: 1",
                          "File-size: 300000000")
                      : asked.reply(0, "268435456 12 1 0", "Num-chunks: 1", "File-size: 300000000");
                }));
    Layout layout = client.layout("/f", 9, 1000);
    assertThat(layout.fileSize()).isEqualTo(300_000_000);
    assertThat(layout.chunks())
        .containsExactly(
            new ChunkInfo(0, 10, 1, List.of(new HostPort("a", 80), new HostPort("b", 81))),
            new ChunkInfo(ChunkInfo.BYTES, 11, 3, List.of(new HostPort("a", 80))),
            new ChunkInfo(4L * ChunkInfo.BYTES, 12, 1, List.of()));
    assertThat(asked(0).get(1).number("Start-offset")).isEqualTo(2L * ChunkInfo.BYTES);
  }

  @Test
  void damagedListsAreRefused() throws IOException {
    for (String body : new String[] {"0 10 1", "0 10 x 0", "0 10 1 1 a 99999", "0 10 1 1 a"}) {
      MetaClient client =
          client(
              server(
                  asked ->
                      isGreeting(asked) ? greeting(asked) : asked.reply(0, body, "Num-chunks: 1")));
      assertThatThrownBy(() -> client.layout("/f", 9, 0)).isInstanceOf(IOException.class);
    }
  }

  @Test
  void theFirstOfTheChainIsNamedOnce() throws IOException {
    MetaClient client =
        client(
            server(
                asked ->
                    isGreeting(asked)
                        ? greeting(asked)
                        : asked.ok(
                            "Chunk-handle: 3",
                            "Chunk-version: 4",
                            "Master: b 2",
                            "Num-replicas: 3",
                            "Replicas: a 1 b 2 c 3")));
    assertThat(client.allocate("/f", 9, 0).servers())
        .containsExactly(new HostPort("b", 2), new HostPort("a", 1), new HostPort("c", 3));
  }

  @Test
  void whatMayBeDoneOnlyOnceIsKnownAgainAfterALostReply() throws IOException {
    AtomicInteger creates = new AtomicInteger();
    MetaClient client =
        client(
            server(
                asked -> {
                  if (isGreeting(asked)) {
                    return greeting(asked);
                  }
                  return asked.operation().equals("CREATE") && creates.incrementAndGet() == 1
                      ? null
                      : asked.operation().equals("ACK")
                          ? new byte[0]
                          : asked.ok("File-handle: 77", "Ack: 3a17 CREATE");
                }));
    assertThat(client.create("/f", CreateOptions.DEFAULTS)).isEqualTo(77);
    client.rename("/f", "/g", true);
    List<Asked> asked = asked(0);
    assertThat(asked).extracting(Asked::operation).startsWith("CREATE", "CREATE", "ACK", "RENAME");
    assertThat(asked.get(0).fields().get("Rid"))
        .isNotNull()
        .isEqualTo(asked.get(1).fields().get("Rid"))
        .isNotEqualTo(asked.get(3).fields().get("Rid"));
    assertThat(asked.get(2).fields()).containsEntry("Ack", "3a17 CREATE").doesNotContainKey("Cseq");
  }

  @Test
  void theNextAddressIsAskedWhenOneIsGoneOrDoesNotLead() throws IOException {
    HostPort gone = server(asked -> null);
    HostPort follows = server(asked -> asked.ok("Vr-primary: 0", "Auth-type: 1"));
    HostPort leads =
        server(
            asked -> isGreeting(asked) ? greeting(asked) : asked.ok("File-handle: 2", "Type: dir"));
    MetaClient client = client(gone, follows, leads);
    assertThat(client.stat("/").directory()).isTrue();
    assertThat(client.stat("/").directory()).isTrue();
    assertThat(servers.get(0).requests()).hasSize(1);
    assertThat(servers.get(2).requests()).hasSize(3);
  }

  @Test
  void aMetaserverThatDoesNotLeadAnyMoreIsLeft() throws IOException {
    AtomicInteger asks = new AtomicInteger();
    HostPort led =
        server(
            asked ->
                isGreeting(asked)
                    ? asked.ok("Vr-primary: " + (asks.get() == 0 ? 1 : 0), "Auth-type: 1")
                    : asked.reply(asks.incrementAndGet() > 0 ? -1009 : 0, ""));
    HostPort leads =
        server(asked -> isGreeting(asked) ? greeting(asked) : asked.ok("File-handle: 9"));
    assertThat(client(led, leads).create("/f", CreateOptions.DEFAULTS)).isEqualTo(9);
    assertThat(asked(0).get(0).fields().get("Rid")).isEqualTo(asked(1).get(0).fields().get("Rid"));
  }

  @Test
  void aListingGoesOnWhenTheNameItStoppedAtIsGone() throws IOException {
    MetaClient client =
        client(
            server(
                asked -> {
                  if (isGreeting(asked)) {
                    return greeting(asked);
                  }
                  return switch (asked.fields().getOrDefault("Fname-start", "")) {
                    case "" -> asked.reply(0, entries("a", "b", "c"), "Has-more-entries: 1");
                    case "a" -> asked.reply(0, entries("b", "d"), "Has-more-entries: 0");
                    default -> asked.reply(-2, "");
                  };
                }));
    DirectoryListing listing = new DirectoryListing(client, "/t", 5, 3);
    assertThat(listing.next()).extracting(FileInfo::name).containsExactly("a", "b", "c");
    assertThat(listing.more()).isTrue();
    assertThat(listing.next()).extracting(FileInfo::name).containsExactly("d");
    assertThat(listing.more()).isFalse();
  }

  @Test
  void aListingEndsWhenAllItKnowsIsGone() throws IOException {
    MetaClient client =
        client(
            server(
                asked ->
                    isGreeting(asked)
                        ? greeting(asked)
                        : asked.fields().containsKey("Fname-start")
                            ? asked.reply(-2, "")
                            : asked.reply(0, entries("a", "b"), "Has-more-entries: 1")));
    DirectoryListing listing = new DirectoryListing(client, "/t", 5, 3);
    listing.next();
    assertThatThrownBy(listing::next)
        .isInstanceOfSatisfying(
            QfsException.class, e -> assertThat(e.error()).isEqualTo(QfsError.EAGAIN));
  }

  private static String entries(String... names) {
    StringBuilder text = new StringBuilder();
    for (String name : names) {
      text.append("B\nN:").append(name).append("\nH:1\nT:file\n");
    }
    return text.toString();
  }

  @Test
  void whenAllAreGoneItSaysHowOftenAndWhere() throws IOException {
    HostPort gone = server(asked -> null);
    assertThatThrownBy(() -> client(gone).stat("/a"))
        .isInstanceOf(BrokenConnectionException.class)
        .hasMessageContaining("LOOKUP_PATH of /a: gave up after")
        .hasMessageContaining("attempts in 2000 ms at [" + gone + "]");
  }

  @Test
  void aServerThatWantsAuthenticationIsRefusedAtOnce() throws IOException {
    HostPort strict = server(asked -> asked.ok("Vr-primary: 1", "Auth-type: 10"));
    assertThatThrownBy(() -> client(strict).stat("/a"))
        .hasMessageContaining("Kerberos")
        .hasMessageContaining("pre-shared key")
        .hasMessageNotContaining("X.509")
        .hasMessageContaining("this client cannot");
    assertThat(servers.get(0).requests()).hasSize(1);
  }

  @Test
  void refusalsAreNotRepeated() throws IOException {
    HostPort server = server(asked -> isGreeting(asked) ? greeting(asked) : asked.reply(-13, ""));
    MetaClient client = client(server);
    assertThatThrownBy(() -> client.setMode("/a", 0))
        .isInstanceOfSatisfying(
            QfsException.class,
            e -> {
              assertThat(e.error()).isEqualTo(QfsError.EACCES);
              assertThat(e.subject()).isEqualTo("/a");
              assertThat(e.operation()).isEqualTo("LOOKUP_PATH");
            });
    assertThat(asked(0)).hasSize(1);
  }

  @Test
  void aLeaseIsSharedRenewedAndGivenBack() throws IOException {
    MetaClient client =
        client(server(asked -> isGreeting(asked) ? greeting(asked) : asked.ok("Lease-id: 55")));
    try (ReadLeases leases = new ReadLeases(client, () -> 0)) {
      assertThat(leases.acquire("/f", 3)).isTrue();
      assertThat(leases.acquire("/f", 3)).isTrue();
      leases.renewDue(ReadLeases.GOOD.toNanos() / 3 - 1);
      assertThat(asked(0)).extracting(Asked::operation).containsExactly("LEASE_ACQUIRE");
      leases.renewDue(ReadLeases.GOOD.toNanos() / 3);
      leases.release(3);
      assertThat(asked(0))
          .extracting(Asked::operation)
          .containsExactly("LEASE_ACQUIRE", "LEASE_RENEW");
      leases.release(3);
      assertThat(leases.size()).isZero();
    }
    assertThat(asked(0).get(2).fields())
        .containsEntry("Lease-id", "55")
        .containsEntry("Lease-type", "READ_LEASE");
  }

  @Test
  void aLeaseThatIsNotGivenOrNotRenewedIsDoneWithout() throws IOException {
    MetaClient client =
        client(
            server(
                asked ->
                    isGreeting(asked)
                        ? greeting(asked)
                        : asked.operation().equals("LEASE_RENEW")
                            ? asked.reply(-1001, "")
                            : asked.number("Chunk-handle") == 4
                                ? asked.reply(-16, "")
                                : asked.ok("Lease-id: 55")));
    try (ReadLeases leases = new ReadLeases(client, () -> 0)) {
      assertThat(leases.acquire("/f", 4)).isFalse();
      assertThat(leases.acquire("/f", 3)).isTrue();
      leases.renewDue(ReadLeases.GOOD.toNanos());
      assertThat(leases.size()).isZero();
    }
  }
}
