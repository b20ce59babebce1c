package dev.sailfish.metaserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sailfish.metaserver.kerberos.KerberosSettings;
import dev.sailfish.transport.Authentication;
import dev.sailfish.transport.TlsSettings;
import dev.sailfish.transport.WebSettings;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MetaserverConfigTest {
  private static final String PREFIX = "sailfish.metaserver.";

  private static final Map<String, InetSocketAddress> THREE =
      Map.of(
          "m1", InetSocketAddress.createUnresolved("a", 1),
          "m2", InetSocketAddress.createUnresolved("b", 2),
          "m3", InetSocketAddress.createUnresolved("c", 3));

  @Test
  void hasDefaults() {
    MetaserverConfig config = MetaserverConfig.of(Map.of(PREFIX + "journal.dir", "none"));
    assertThat(config.host()).isEqualTo("0.0.0.0");
    assertThat(config.port()).isEqualTo(19850);
    assertThat(config.web().port()).isEqualTo(19851);
    assertThat(config.ioThreads()).isEqualTo(2);
    assertThat(config.chunkBytes()).isEqualTo(128 << 20);
    assertThat(config.reservationBytes()).isEqualTo(1 << 20);
    assertThat(config.leaseMs()).isEqualTo(600_000);
    assertThat(config.deadAfterMs()).isEqualTo(30_000);
    assertThat(config.limits())
        .isEqualTo(new MetaserverConfig.Limits(20_000, 1024, UserQuota.NONE));
    assertThat(config.racks()).isEqualTo(new MetaserverConfig.RackConfig("", "", "", 10_000));
    assertThat(config.resourcemanagers()).isEmpty();
    assertThat(config.authentication()).isEqualTo(new Authentication(PREFIX, "", ""));
    assertThat(config.encryptAll()).isFalse();
    assertThat(config.journal())
        .isEqualTo(new JournalConfig(Optional.empty(), true, 100_000, "sailfish", "", Map.of()));
  }

  @Test
  void encryptsWithAKeyOnly() {
    Map<String, String> settings = new HashMap<>();
    settings.put(PREFIX + "journal.dir", "none");
    settings.put(PREFIX + "encrypt.at.rest", "allowed");
    settings.put(PREFIX + "authentication", "none");
    assertThat(MetaserverConfig.of(settings).encryptAll()).isFalse();
    settings.put(PREFIX + "encrypt.at.rest", "required");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MetaserverConfig.of(settings))
        .withMessageContaining(PREFIX + "encrypt.at.rest=required needs authentication")
        .withMessageContaining(PREFIX + "cluster.secret.file");
    settings.put(PREFIX + "encrypt.at.rest", "true");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MetaserverConfig.of(settings))
        .withMessageContaining(PREFIX + "encrypt.at.rest=true must be allowed or required");
  }

  @Test
  void readsEveryKey() {
    MetaserverConfig config =
        MetaserverConfig.of(
            Map.ofEntries(
                Map.entry(PREFIX + "host", "h"),
                Map.entry(PREFIX + "port", " 2 "),
                Map.entry(PREFIX + "web.port", "1"),
                Map.entry(PREFIX + "web.token.file", "/t"),
                Map.entry(PREFIX + "io.threads", "3"),
                Map.entry(PREFIX + "chunk.bytes", "1048577"),
                Map.entry(PREFIX + "reservation.bytes", "5000"),
                Map.entry(PREFIX + "lease.ms", "600"),
                Map.entry(PREFIX + "dead.after.ms", "700"),
                Map.entry(PREFIX + "dead.after.mass.ms", "750"),
                Map.entry(PREFIX + "manifests.max.bytes", "7"),
                Map.entry(PREFIX + "manifests.job.max.bytes", "8"),
                Map.entry(PREFIX + "connections.max", "4"),
                Map.entry(PREFIX + "connections.unauthenticated.max", "5"),
                Map.entry(PREFIX + "admission", "token, resourcemanager"),
                Map.entry(PREFIX + "user.max.bytes", "5"),
                Map.entry(PREFIX + "user.max.ifiles", "6"),
                Map.entry(PREFIX + "racks.script", "/s"),
                Map.entry(PREFIX + "racks.script.deadline.ms", "800"),
                Map.entry(PREFIX + "resourcemanager", "rm:8088, https://r2:8090"),
                Map.entry(PREFIX + "authentication", "secret"),
                Map.entry(PREFIX + "cluster.secret.file", "/f"),
                Map.entry(PREFIX + "encrypt.at.rest", "required"),
                Map.entry(PREFIX + "tls", "required"),
                Map.entry(PREFIX + "tls.server.file", "/ts"),
                Map.entry(PREFIX + "tls.client.file", "/tc"),
                Map.entry(PREFIX + "journal.dir", "/j"),
                Map.entry(PREFIX + "journal.sync", "false"),
                Map.entry(PREFIX + "journal.snapshot.entries", "900"),
                Map.entry(PREFIX + "cluster", "blue"),
                Map.entry(PREFIX + "peer", "m2"),
                Map.entry(PREFIX + "peers", "m1=a:1, m2=b:2,m3=c:3"),
                Map.entry(PREFIX + "kerberos.principal", "s/_HOST@R"),
                Map.entry(PREFIX + "kerberos.keytab", "/k"),
                Map.entry(PREFIX + "kerberos.realms", "R, Q"),
                Map.entry(PREFIX + "kerberos.proxy.users", "oozie"),
                Map.entry(PREFIX + "token.lifetime.ms", "60000"),
                Map.entry(PREFIX + "address", "is for clients"),
                Map.entry("sailfish.chunkserver.port", "is for somebody else")));
    assertThat(config).isEqualTo(everyValue());
    assertThat(of("racks", "a=/b").racks().map()).isEqualTo("a=/b");
    assertThat(of("racks.file", "/f").racks().file()).isEqualTo("/f");
  }

  private static MetaserverConfig everyValue() {
    return new MetaserverConfig(
        "h",
        2,
        new WebSettings(PREFIX, 1, "/t"),
        3,
        1048577,
        5000,
        600,
        700,
        new MetaserverConfig.Limits(4, 5, new UserQuota(5, 6)),
        new MetaserverConfig.RackConfig("", "", "/s", 800),
        List.of(URI.create("http://rm:8088/"), URI.create("https://r2:8090/")),
        Set.of("resourcemanager", "token"),
        new Authentication(PREFIX, "secret", "/f"),
        true,
        new TlsSettings(PREFIX, "required", "/ts", Optional.of("/tc")),
        new JournalConfig(Optional.of(Path.of("/j")), false, 900, "blue", "m2", THREE),
        new MetaserverConfig.Brakes(750, 7, 8),
        Optional.of(
            new KerberosSettings(
                "s/_HOST@R",
                Path.of("/k"),
                List.of("R", "Q"),
                List.of("oozie"),
                Duration.ofMinutes(1))));
  }

  private static MetaserverConfig of(String... namesAndValues) {
    Map<String, String> properties = new HashMap<>();
    properties.put(PREFIX + "journal.dir", "none");
    for (int i = 0; i < namesAndValues.length; i += 2) {
      properties.put(PREFIX + namesAndValues[i], namesAndValues[i + 1]);
    }
    return MetaserverConfig.of(properties);
  }

  private static void refuses(String words, String... namesAndValues) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> of(namesAndValues))
        .withMessageContaining(words);
  }

  @Test
  void wantsToKnowWhichPeersToTrust() {
    refuses("tls=yes must be required or none", "tls", "yes");
    refuses("needs sailfish.metaserver.tls.server.file", "tls", "required");
    assertThat(of("tls", "required", "tls.server.file", "/ts").tls().clientFile())
        .as("a single metaserver connects to nobody")
        .isEmpty();
    refuses(
        "needs sailfish.metaserver.tls.client.file",
        "tls",
        "required",
        "tls.server.file",
        "/ts",
        "port",
        "1",
        "journal.dir",
        "/j",
        "peer",
        "m1",
        "peers",
        "m1=a:1,m2=b:2,m3=c:3");
  }

  @Test
  void refusesJournalsAndPeersThatDoNotGoTogether() {
    refuses("journal.dir must be set", "journal.dir", "");
    refuses("is no path", "journal.dir", "a\u0000b");
    refuses("is no path", "racks.file", "a\u0000b");
    refuses("is no path", "cluster.secret.file", "a\u0000b");
    refuses("journal.sync=maybe is neither true nor false", "journal.sync", "maybe");
    refuses("belong together", "journal.dir", "/j", "peer", "m1");
    refuses("belong together", "journal.dir", "/j", "peers", "m1=a:1");
    String three = "m1=a:1,m2=b:2,m3=c:3";
    refuses("peer=m4 is none of", "journal.dir", "/j", "peer", "m4", "peers", three);
    refuses("needs a journal", "peer", "m1", "peers", three);
    refuses(
        "port=19850 is not the port of peer m1", "journal.dir", "/j", "peer", "m1", "peers", three);
    refuses("even number", "journal.dir", "/j", "peer", "m1", "peers", "m1=a:1,m2=b:2");
    refuses("'m1' comes twice", "journal.dir", "/j", "peer", "m1", "peers", "m1=a:1,m1=b:2");
    refuses("'a:1' is not id=host:port", "journal.dir", "/j", "peer", "m1", "peers", "a:1");
    refuses("is not host:port", "journal.dir", "/j", "peer", "m1", "peers", "m1=a");
    refuses("cluster=a b must be", "cluster", "a b");
  }

  @Test
  void refusesUnknownKeys() {
    refused(Map.of(PREFIX + "prot", "1"), "unknown configuration keys: [sailfish.metaserver.prot]");
  }

  @Test
  void namesKeyValueAndRange() {
    refused(
        Map.of(PREFIX + "port", "70000"),
        "sailfish.metaserver.port=70000 is not a whole number in 0..65535");
    refused(
        Map.of(PREFIX + "chunk.bytes", "1000"),
        "sailfish.metaserver.chunk.bytes=1000 is not a whole number in 1048576..1073741824");
    refused(Map.of(PREFIX + "lease.ms", "ten"), "sailfish.metaserver.lease.ms=ten is not");
    for (String address :
        new String[] {"rm", "rm:", ":80", "rm:0", "rm:70000", "a b:1", "ftp://rm:1:"}) {
      refused(
          Map.of(PREFIX + "resourcemanager", address),
          "sailfish.metaserver.resourcemanager=" + address + " is not host:port");
    }
    refused(Map.of(PREFIX + "resourcemanager", "r1:1,"), "resourcemanager= is not host:port");
    refused(Map.of(PREFIX + "resourcemanager", "r1:1,https://r2"), "=r2 is not host:port");
    refused(
        Map.of(PREFIX + "racks", "a=/b", PREFIX + "racks.file", "/f"), "racks come from one place");
  }

  private static void refused(Map<String, String> properties, String words) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MetaserverConfig.of(properties))
        .withMessageContaining(words);
  }

  @Test
  void explainsEveryKey() {
    for (MetaserverKey key : MetaserverKey.values()) {
      assertThat(key.help()).startsWith("sailfish.metaserver.").contains(key.defaultText());
    }
  }
}
