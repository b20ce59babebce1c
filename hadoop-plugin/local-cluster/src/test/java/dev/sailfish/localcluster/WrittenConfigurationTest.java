package dev.sailfish.localcluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.chunkserver.ChunkserverConfig;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.lineage.master.LineageMasterKey;
import dev.sailfish.lineage.worker.LineageWorkerKey;
import dev.sailfish.localcluster.client.ReduceWork;
import dev.sailfish.metaserver.MetaserverConfig;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.web.WebKey;
import dev.sailfish.workflow.WorkflowKey;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is written for daemons, read by those who read it. */
@Seeded
class WrittenConfigurationTest {
  private static final List<String> SITES =
      List.of("core-site", "mapred-site", "yarn-site", "capacity-scheduler");

  /** A name that jobs give a value. */
  private static final String OF_EACH_JOB = "${" + ReduceWork.APPLICATION_MASTER + "}";

  @TempDir private Path directory;
  private final Distribution distribution = new Distribution(Path.of("../.."));
  private ClusterLayout layout;
  private HadoopProcesses hadoop;
  private FreePorts ports;

  @BeforeEach
  void chooseAddresses(Seed seed) throws IOException {
    layout = new ClusterLayout(directory.resolve("cluster"));
    Files.createDirectories(layout.conf());
    Files.createDirectories(layout.data());
    ports = new FreePorts(seed.splittable());
    hadoop = new HadoopProcesses(distribution, layout, ports);
  }

  @AfterEach
  void giveTheAddressesUp() throws IOException {
    ports.close();
  }

  private Configuration site(String name) throws IOException {
    Configuration configuration = new Configuration(false);
    configuration.addResource(layout.conf().resolve(name + ".xml").toUri().toURL());
    return configuration;
  }

  @Test
  void hadoopReadsItsSitesWithNoNameLeftAndEachAddressItsOwn() throws IOException {
    hadoop.writeConfiguration(Map.of(), Map.of());
    Set<String> addresses = new HashSet<>();
    for (String name : SITES) {
      Configuration site = site(name);
      assertThat(site.size()).as(name).isPositive();
      for (Map.Entry<String, String> entry : site) {
        String value = site.getRaw(entry.getKey()).replace(OF_EACH_JOB, "");
        assertThat(value).as(entry.getKey()).isNotEmpty().doesNotContain("${", "null");
        if (value.startsWith(FreePorts.HOST + ":")) {
          assertThat(addresses.add(value)).as("%s=%s", entry.getKey(), value).isTrue();
        }
      }
    }
    assertThat(addresses).hasSize(11);
    assertThat(site("mapred-site").get("mapreduce.map.java.opts"))
        .isEqualTo(LocalCluster.TASK_OPTIONS);
    assertThat(site("mapred-site").get("mapreduce.application.classpath"))
        .startsWith(distribution.clientJar().toString());
    assertThat(hadoop.specs()).extracting(DaemonSpec::address).isSubsetOf(addresses);
  }

  @Test
  void whatIsSetForHadoopIsInEachSiteAndWhatJobsNeedInOne() throws IOException {
    hadoop.writeConfiguration(Map.of("for.jobs", "x"), Map.of("mapreduce.framework.name", "local"));
    for (String name : List.of("core-site", "mapred-site", "yarn-site")) {
      assertThat(site(name).get("mapreduce.framework.name")).as(name).isEqualTo("local");
      assertThat(site(name).get("for.jobs")).isEqualTo(name.startsWith("mapred") ? "x" : null);
    }
  }

  private Map<String, String> properties(String name) throws IOException {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(layout.conf().resolve(name + ".properties"))) {
      properties.load(reader);
    }
    Map<String, String> values = new HashMap<>();
    properties.stringPropertyNames().forEach(key -> values.put(key, properties.getProperty(key)));
    return values;
  }

  @Test
  void daemonsAcceptTheirProperties() throws IOException {
    ClusterSecret.create(layout.secret());
    String set = "sailfish.chunkserver.sorter.threads";
    SailfishOptions options = new SailfishOptions(3, 2, 3, 2, Map.of(set, "1"));
    SailfishProcesses sailfish =
        new SailfishProcesses(distribution, layout, ports, hadoop, options);
    for (String name : List.of("metaserver", "metaserver-2", "metaserver-3")) {
      assertThat(properties(name)).containsEntry("sailfish.metaserver.peer", name);
      assertThat(MetaserverConfig.of(properties(name))).isNotNull();
    }
    for (String name : List.of("chunkserver-1", "chunkserver-2")) {
      assertThat(properties(name))
          .containsEntry(set, "1")
          .containsEntry(
              "sailfish.chunkserver.metaserver.address",
              sailfish.jobKeys().get("sailfish.metaserver.address"));
      assertThat(ChunkserverConfig.of(properties(name))).isNotNull();
    }
    for (String name : List.of("lineage-master", "lineage-master-2", "lineage-master-3")) {
      assertThat(properties(name)).containsEntry("sailfish.lineage.master.peer", name);
      LineageMasterKey.ALL.check(Settings.of(properties(name)));
    }
    for (String name : List.of("lineage-worker-1", "lineage-worker-2")) {
      LineageWorkerKey.ALL.check(Settings.of(properties(name)));
    }
    assertThat(sailfish.memoryDirectories()).hasSize(4).doesNotHaveDuplicates();
    WorkflowKey.ALL.check(Settings.of(properties("workflow")));
    assertThat(sailfish.specs()).extracting(DaemonSpec::name).hasSize(11).doesNotHaveDuplicates();
  }

  @Test
  void theWorkflowManagerSpeaksTlsAsTheWorkersDo() throws IOException {
    ClusterSecret.create(layout.secret());
    Map<String, String> worker =
        Map.of(
            "sailfish.lineage.worker.tls", "required",
            "sailfish.lineage.worker.tls.client.file", "/client",
            "sailfish.lineage.worker.tls.server.file", "/server");
    new SailfishProcesses(
        distribution, layout, ports, hadoop, SailfishOptions.withStore(1, worker));
    assertThat(properties("workflow"))
        .containsEntry("sailfish.workflow.tls", "required")
        .containsEntry("sailfish.workflow.tls.client.file", "/client")
        .containsEntry("sailfish.workflow.tls.server.file", "/server");
  }

  @Test
  void theWebProcessIsToldOfAllDaemonsAndJobsOfIt() throws IOException {
    ClusterSecret.create(layout.secret());
    SailfishOptions options =
        new SailfishOptions(1, 2, 1, 1, true, Map.of("sailfish.web.history.days", "2"));
    SailfishProcesses sailfish =
        new SailfishProcesses(distribution, layout, ports, hadoop, options);
    Map<String, String> web = properties("web");
    WebKey.ALL.check(Settings.of(web));
    assertThat(web)
        .containsEntry("sailfish.web.history.days", "2")
        .containsEntry(
            "sailfish.web.metaserver.address",
            sailfish.jobKeys().get("sailfish.metaserver.address"))
        .containsEntry(
            "sailfish.web.lineage.masters",
            sailfish.storeKeys().get("sailfish.lineage.client.masters"))
        .containsEntry("sailfish.web.resourcemanager", "http://" + hadoop.resourceManagerWeb())
        .containsEntry("sailfish.web.historyserver", "http://" + hadoop.historyServerWeb());
    assertThat(web.get("sailfish.web.daemons").split(","))
        .hasSize(6)
        .allMatch(daemon -> daemon.matches("[a-z-]+(-\\d)?=http://127.0.0.1:\\d+"));
    assertThat(sailfish.jobKeys())
        .containsEntry("sailfish.web.address", "http://127.0.0.1:" + web.get("sailfish.web.port"));
    assertThat(Path.of(web.get("sailfish.web.history.dir")))
        .as("outlives the cluster")
        .hasParentRaw(layout.home());
  }

  @Test
  void theWebProcessSpeaksTlsAsTheChunkserversDo() throws IOException {
    ClusterSecret.create(layout.secret());
    Path client = Files.writeString(directory.resolve("client.xml"), "<configuration/>");
    Map<String, String> tls =
        Map.of(
            "sailfish.metaserver.tls", "required",
            "sailfish.chunkserver.tls", "required",
            "sailfish.chunkserver.tls.client.file", client.toString(),
            "sailfish.chunkserver.tls.server.file", "/server");
    SailfishProcesses sailfish =
        new SailfishProcesses(
            distribution, layout, ports, hadoop, new SailfishOptions(1, tls).withWeb(true));
    assertThat(properties("web"))
        .containsEntry("sailfish.web.tls", "required")
        .containsEntry("sailfish.web.tls.client.file", client.toString())
        .containsEntry("sailfish.web.tls.server.file", "/server");
    assertThat(sailfish.jobKeys().get("sailfish.web.address")).startsWith("https://");
  }

  @Test
  void thereIsNoWebProcessUnlessItIsAskedFor() throws IOException {
    ClusterSecret.create(layout.secret());
    SailfishProcesses sailfish =
        new SailfishProcesses(distribution, layout, ports, hadoop, SailfishOptions.DEFAULT);
    assertThat(sailfish.web()).isEmpty();
    assertThat(sailfish.jobKeys()).doesNotContainKey("sailfish.web.address");
    assertThat(layout.conf().resolve("web.properties")).doesNotExist();
  }
}
