package dev.sailfish.metaserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.journal.JournalSettings;
import dev.sailfish.ground.server.daemon.DaemonSettings;
import dev.sailfish.ground.server.kerberos.KerberosSettings;
import dev.sailfish.metaserver.state.JobSpec;
import dev.sailfish.metaserver.state.UserQuota;
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
    MetaserverConfig config = of();
    assertThat(config.get(MetaserverKey.CHUNK_SIZE)).isEqualTo(128 << 20);
    assertThat(config.get(MetaserverKey.RESERVATION)).isEqualTo(1 << 20);
    assertThat(config.get(MetaserverKey.LEASE)).isEqualTo(Duration.ofMinutes(10));
    assertThat(config.get(MetaserverKey.DEAD_AFTER)).isEqualTo(Duration.ofSeconds(30));
    assertThat(config.quota()).isEqualTo(UserQuota.NONE);
    assertThat(config.encryptAll()).isFalse();
    assertThat(config.daemon().webPort()).isEqualTo(19851);
    assertThat(config.resourcemanagers()).isEmpty();
    assertThat(config.daemon().open()).isFalse();
    assertThat(config.daemon().secretFile()).isEmpty();
    assertThat(config.journal())
        .isEqualTo(
            new JournalSettings(
                "metaserver", Optional.empty(), true, 100_000, "sailfish", "", Map.of()));
  }

  /** The sizes that the core takes from jobs are those that the key takes. */
  @Test
  void aChunkHasTheSizesOfTheCore() {
    assertThat(of("chunk.size", "1m").get(MetaserverKey.CHUNK_SIZE))
        .isEqualTo(JobSpec.MIN_CHUNK_BYTES);
    assertThat(of("chunk.size", "1g").get(MetaserverKey.CHUNK_SIZE))
        .isEqualTo(JobSpec.MAX_CHUNK_BYTES);
    refuses("chunk.size=1048575", "chunk.size", "1048575");
    refuses("chunk.size=1073741825", "chunk.size", "1073741825");
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
                Map.entry(PREFIX + "chunk.size", "1048577"),
                Map.entry(PREFIX + "reservation", "5000"),
                Map.entry(PREFIX + "lease", "600ms"),
                Map.entry(PREFIX + "dead.after", "700ms"),
                Map.entry(PREFIX + "dead.after.mass", "750ms"),
                Map.entry(PREFIX + "manifests.max.size", "7"),
                Map.entry(PREFIX + "manifests.job.max.size", "8"),
                Map.entry(PREFIX + "connections.max", "4"),
                Map.entry(PREFIX + "connections.unauthenticated.max", "5"),
                Map.entry(PREFIX + "admission", "token, resourcemanager"),
                Map.entry(PREFIX + "user.max.size", "5"),
                Map.entry(PREFIX + "user.max.ifiles", "6"),
                Map.entry(PREFIX + "racks.script", "/s"),
                Map.entry(PREFIX + "racks.script.deadline", "800ms"),
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
                Map.entry(PREFIX + "token.lifetime", "60s"),
                Map.entry(PREFIX + "address", "is for clients"),
                Map.entry("sailfish.chunkserver.port", "is for somebody else")));
    assertThat(config).isEqualTo(everyValue(config.settings()));
    assertThat(config.get(MetaserverKey.CHUNK_SIZE)).isEqualTo(1048577);
    assertThat(config.get(MetaserverKey.RESERVATION)).isEqualTo(5000);
    assertThat(config.get(MetaserverKey.LEASE)).isEqualTo(Duration.ofMillis(600));
    assertThat(config.get(MetaserverKey.DEAD_AFTER)).isEqualTo(Duration.ofMillis(700));
    assertThat(config.quota()).isEqualTo(new UserQuota(5, 6));
    assertThat(config.get(MetaserverKey.HOST)).isEqualTo("h");
    assertThat(config.get(MetaserverKey.PORT)).isEqualTo(2);
    assertThat(config.get(MetaserverKey.IO_THREADS)).isEqualTo(3);
    assertThat(config.get(MetaserverKey.CONNECTIONS_MAX)).isEqualTo(4);
    assertThat(config.get(MetaserverKey.CONNECTIONS_UNAUTHENTICATED_MAX)).isEqualTo(5);
    assertThat(config.get(MetaserverKey.DEAD_AFTER_MASS)).isEqualTo(Duration.ofMillis(750));
    assertThat(config.get(MetaserverKey.MANIFESTS_MAX_SIZE)).isEqualTo(7);
    assertThat(config.get(MetaserverKey.MANIFESTS_JOB_MAX_SIZE)).isEqualTo(8);
    assertThat(config.get(MetaserverKey.RACKS.script())).hasValue(Path.of("/s"));
    assertThat(config.get(MetaserverKey.RACKS.scriptDeadline())).isEqualTo(Duration.ofMillis(800));
  }

  private static MetaserverConfig everyValue(Settings settings) {
    return new MetaserverConfig(
        settings,
        new DaemonSettings(
            MetaserverKey.SERVER,
            false,
            Optional.of(Path.of("/f")),
            true,
            Optional.of(Path.of("/ts")),
            Optional.of(Path.of("/tc")),
            1,
            Optional.of(Path.of("/t"))),
        List.of(URI.create("http://rm:8088/"), URI.create("https://r2:8090/")),
        Set.of("resourcemanager", "token"),
        true,
        new JournalSettings(
            "metaserver", Optional.of(Path.of("/j")), false, 900, "blue", "m2", THREE),
        Optional.of(
            new KerberosSettings(
                "s/_HOST@R",
                Path.of("/k"),
                List.of("R", "Q"),
                List.of("oozie"),
                "sailfish.metaserver.kerberos.proxy.users",
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
    assertThat(of("tls", "required", "tls.server.file", "/ts").daemon().tls())
        .as("a single metaserver connects to nobody")
        .isTrue();
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
    refuses("journal.dir= must be set", "journal.dir", "");
    refuses("is not a path", "journal.dir", "a\u0000b");
    refuses("is not a path", "racks.file", "a\u0000b");
    refuses("is not a path", "cluster.secret.file", "a\u0000b");
    refuses("journal.sync=maybe must be true or false", "journal.sync", "maybe");
    refuses("belong together", "journal.dir", "/j", "peer", "m1");
    refuses("belong together", "journal.dir", "/j", "peers", "m1=a:1");
    String three = "m1=a:1,m2=b:2,m3=c:3";
    refuses("peer=m4 is none of", "journal.dir", "/j", "peer", "m4", "peers", three);
    refuses("needs a journal", "port", "1", "peer", "m1", "peers", three);
    refuses(
        "port=19850 is not the port of peer m1", "journal.dir", "/j", "peer", "m1", "peers", three);
    refuses(
        "even number", "port", "1", "journal.dir", "/j", "peer", "m1", "peers", "m1=a:1,m2=b:2");
    refuses("has the id 'm1' twice", "journal.dir", "/j", "peer", "m1", "peers", "m1=a:1,m1=b:2");
    refuses("'a:1' is not id=host:port", "journal.dir", "/j", "peer", "m1", "peers", "a:1");
    refuses("is not host:port", "journal.dir", "/j", "peer", "m1", "peers", "m1=a");
    refuses("cluster=a b must be 1 to 100 letters", "cluster", "a b");
  }

  @Test
  void refusesUnknownKeys() {
    refused(
        Map.of(PREFIX + "prot", "1"),
        "unknown key sailfish.metaserver.prot, did you mean sailfish.metaserver.port?");
  }

  @Test
  void namesKeyValueAndRange() {
    refused(
        Map.of(PREFIX + "port", "70000"),
        "sailfish.metaserver.port=70000 must be a whole number in 0..65535");
    refused(
        Map.of(PREFIX + "chunk.size", "1000"),
        "sailfish.metaserver.chunk.size=1000 must be a size in 1m..1g");
    refused(
        Map.of(PREFIX + "lease", "ten"),
        "sailfish.metaserver.lease=ten must be a duration in 100ms..36500d");
    for (String address :
        new String[] {"rm", "rm:", ":80", "rm:0", "rm:70000", "a b:1", "ftp://rm:1:"}) {
      refused(
          Map.of(PREFIX + "resourcemanager", address),
          "sailfish.metaserver.resourcemanager=" + address + " is wrong: '");
    }
    refused(Map.of(PREFIX + "resourcemanager", "r1:1,https://r2"), "'r2' is not host:port");
    refused(
        Map.of(PREFIX + "racks", "a=/b", PREFIX + "racks.file", "/f"), "racks come from one place");
  }

  private static void refused(Map<String, String> properties, String words) {
    Map<String, String> all = new HashMap<>(properties);
    all.put(PREFIX + "journal.dir", "none");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MetaserverConfig.of(all))
        .withMessageContaining(words);
  }

  @Test
  void takesTheDefaultsOfItsKeys() {
    Map<String, String> defaults = new HashMap<>();
    MetaserverKey.ALL.all().forEach(key -> defaults.put(key.name(), key.defaultText()));
    defaults.put(PREFIX + "journal.dir", "none");
    MetaserverConfig config = MetaserverConfig.of(defaults);
    MetaserverKey.ALL
        .all()
        .forEach(key -> assertThat((Object) config.get(key)).isEqualTo(of().get(key)));
  }
}
