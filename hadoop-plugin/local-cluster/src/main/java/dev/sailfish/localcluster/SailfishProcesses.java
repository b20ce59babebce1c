package dev.sailfish.localcluster;

import dev.sailfish.ground.wire.introduction.ServerKey;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.lineage.master.LineageMaster;
import dev.sailfish.lineage.worker.LineageWorker;
import dev.sailfish.workflow.WorkflowManager;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The daemons of Sailfish on a local cluster: those of the shuffle, and those of the store. */
final class SailfishProcesses {
  private static final String METASERVER = "metaserver";
  private static final String CHUNKSERVER = "chunkserver";
  private static final String LINEAGE_MASTER = "lineage-master";
  private static final String LINEAGE_WORKER = "lineage-worker";
  private static final String WORKFLOW = "workflow";
  private static final String WEB = "web";

  /** The default of {@code sailfish.web.port}: bookmarks live from one cluster to the next. */
  private static final int WEB_PORT = 19_880;

  /** What starts the web process from its jar, which names the others itself. */
  private static final String WEB_MAIN = "io.quarkus.bootstrap.runner.QuarkusEntryPoint";

  private static final String PRINCIPAL = SailfishOptions.METASERVER_PREFIX + "kerberos.principal";
  private static final long MAX_MEMORY_BYTES = 4L << 30;

  private final Distribution distribution;
  private final ClusterLayout layout;
  private final SailfishOptions options;
  private final List<Server> metaservers = new ArrayList<>();
  private final List<Server> chunkservers = new ArrayList<>();

  /** Daemons that mount Hadoop's file systems. */
  private static final Set<String> MOUNTING =
      Set.of(LineageMaster.class.getName(), LineageWorker.class.getName());

  private final List<Server> lineageMasters = new ArrayList<>();
  private final List<Server> lineageWorkers = new ArrayList<>();
  private final List<Server> workflowManagers = new ArrayList<>();
  private final Optional<Server> web;

  /**
   * A daemon that is to be started.
   *
   * @param name as users see it
   * @param port of its protocol
   * @param webPort of its web pages
   * @param memory directory in memory that is its own; unused by masters
   */
  private record Server(String name, int port, int webPort, Path memory) {
    String address() {
      return FreePorts.HOST + ":" + port;
    }
  }

  /**
   * Chooses ports and directories, and writes the daemons' configuration.
   *
   * @param hadoop whose applications the metaserver watches
   */
  SailfishProcesses(
      Distribution distribution,
      ClusterLayout layout,
      FreePorts ports,
      HadoopProcesses hadoop,
      SailfishOptions options)
      throws IOException {
    this.distribution = distribution;
    this.layout = layout;
    this.options = options;
    String cluster = UUID.randomUUID().toString();
    for (int i = 1; i <= options.metaservers(); i++) {
      metaservers.add(server(peerName(METASERVER, i), cluster, ports));
    }
    for (int i = 1; i <= options.chunkservers(); i++) {
      chunkservers.add(server(CHUNKSERVER + "-" + i, cluster, ports));
    }
    for (int i = 1; i <= options.lineageWorkers(); i++) {
      lineageWorkers.add(server(LINEAGE_WORKER + "-" + i, cluster, ports));
    }
    for (int i = 1; i <= options.lineageMasters() && !lineageWorkers.isEmpty(); i++) {
      lineageMasters.add(server(peerName(LINEAGE_MASTER, i), cluster, ports));
    }
    if (!lineageWorkers.isEmpty()) {
      workflowManagers.add(server(WORKFLOW, cluster, ports));
    }
    web = options.web() ? Optional.of(webServer(ports.knownOrNext(WEB_PORT))) : Optional.empty();
    writeConfiguration(hadoop);
  }

  /** It has one port, and nothing in memory. */
  private Server webServer(int port) {
    return new Server(WEB, port, port, distribution.memory());
  }

  private static String peerName(String kind, int number) {
    return number == 1 ? kind : kind + "-" + number;
  }

  private static boolean isPeer(String kind, String name) {
    return name.equals(kind) || name.startsWith(kind + "-");
  }

  private Server server(String name, String cluster, FreePorts ports) {
    Path memory = distribution.memory().resolve("sailfish-" + cluster + "-" + name);
    return new Server(name, ports.next(), ports.next(), memory);
  }

  /** Whether a process of this name is one of Sailfish's. */
  static boolean isName(String name) {
    return isMetaserver(name)
        || isChunkserver(name)
        || isLineage(name)
        || name.equals(WORKFLOW)
        || isWeb(name);
  }

  /** Whether a process of this name is the web process. */
  static boolean isWeb(String name) {
    return name.equals(WEB);
  }

  /** Whether a daemon of this name is a chunkserver. */
  static boolean isChunkserver(String name) {
    return name.startsWith(CHUNKSERVER + "-");
  }

  private static boolean isLineage(String name) {
    return isLineageMaster(name) || isLineageWorker(name);
  }

  /** Whether a daemon of this name is a worker of the lineage store. */
  static boolean isLineageWorker(String name) {
    return name.startsWith(LINEAGE_WORKER + "-");
  }

  /** Whether a daemon of this name is a master of the lineage store. */
  static boolean isLineageMaster(String name) {
    return isPeer(LINEAGE_MASTER, name);
  }

  /** Whether a daemon of this name is a metaserver. */
  static boolean isMetaserver(String name) {
    return isPeer(METASERVER, name);
  }

  /** What has to be deleted when the cluster stops, however it stops. */
  List<String> memoryDirectories() {
    return Stream.of(chunkservers, lineageWorkers)
        .flatMap(List::stream)
        .map(server -> server.memory().toString())
        .toList();
  }

  /** The keys that a job needs to find the metaserver, and to prove itself to it. */
  Map<String, String> jobKeys() throws IOException {
    byte[] secret = ClusterSecret.read("secret of the local cluster", layout.secret());
    Map<String, String> keys = new TreeMap<>();
    keys.put("sailfish.metaserver.address", metaserverAddresses());
    keys.put("sailfish.metaserver.public.key", ServerKey.of(secret).publicText());
    if (options.tlsClientFile().isPresent()) {
      keys.put("sailfish.tls", "true");
    }
    web.ifPresent(server -> keys.put("sailfish.web.address", web(server)));
    String principal = options.properties().getOrDefault(PRINCIPAL, "");
    if (!principal.isEmpty()) {
      keys.put(PRINCIPAL, principal);
      keys.put("mapreduce.job.hdfs-servers", "sailfish://" + metaservers.get(0).address() + "/");
      keys.put("fs.sailfish.impl", "dev.sailfish.hadoop.TokenFileSystem");
    }
    return keys;
  }

  /** The keys with which clients and jobs find the lineage store; none when there is none. */
  Map<String, String> storeKeys() {
    if (lineageMasters.isEmpty()) {
      return Map.of();
    }
    Map<String, String> keys = new TreeMap<>();
    keys.put("fs.lineage.impl", "dev.sailfish.lineage.hadoop.LineageFileSystem");
    keys.put("fs.AbstractFileSystem.lineage.impl", "dev.sailfish.lineage.hadoop.LineageFs");
    keys.put("sailfish.lineage.client.masters", addresses(lineageMasters));
    keys.put("sailfish.lineage.client.cluster.secret.file", layout.secret().toString());
    keys.put("sailfish.lineage.client.hosts", FreePorts.HOST);
    keys.put("sailfish.lineage.client.superuser", System.getProperty("user.name"));
    if (options.tlsClientFile().isPresent()) {
      keys.put("sailfish.lineage.client.tls", "required");
    }
    String principal =
        options.properties().getOrDefault("sailfish.lineage.master.kerberos.principal", "");
    if (!principal.isEmpty()) {
      keys.put("sailfish.lineage.client.kerberos.principal", principal);
    }
    return keys;
  }

  private String metaserverAddresses() {
    return addresses(metaservers);
  }

  private static String addresses(List<Server> servers) {
    return servers.stream().map(Server::address).collect(Collectors.joining(","));
  }

  private void writeConfiguration(HadoopProcesses hadoop) throws IOException {
    // Containers have the directory on their class path, where tasks look for this file.
    Files.deleteIfExists(layout.tlsClientFile());
    if (options.tlsClientFile().isPresent()) {
      Files.copy(options.tlsClientFile().get(), layout.tlsClientFile());
    }
    Map<String, String> values = new HashMap<>();
    values.put("host", FreePorts.HOST);
    values.put("resourcemanager.web", hadoop.resourceManagerWeb());
    values.put("historyserver.web", hadoop.historyServerWeb());
    values.put("history", layout.history().toString());
    values.put("metaservers", metaserverAddresses());
    values.put("data", layout.data().toString());
    values.put("secret", layout.secret().toString());
    values.put("memory.bytes", Long.toString(memoryBytes(options.chunkservers())));
    writePeers(METASERVER, metaservers, values, SailfishOptions.METASERVER_PREFIX);
    for (Server chunkserver : chunkservers) {
      write(
          chunkserver, fill(CHUNKSERVER, chunkserver, values), SailfishOptions.CHUNKSERVER_PREFIX);
    }
    writeLineageConfiguration(values);
    if (web.isPresent()) {
      values.put("daemons", daemonPages());
      Map<String, String> keys = fill(WEB, web.get(), values);
      keys.putAll(options.tls(SailfishOptions.CHUNKSERVER_PREFIX, SailfishOptions.WEB_PREFIX));
      write(web.get(), keys, SailfishOptions.WEB_PREFIX);
    }
  }

  /** Names and web addresses of all daemons. */
  private String daemonPages() {
    return Stream.of(metaservers, chunkservers, lineageMasters, lineageWorkers, workflowManagers)
        .flatMap(List::stream)
        .map(server -> server.name() + "=" + web(server))
        .collect(Collectors.joining(","));
  }

  private void writeLineageConfiguration(Map<String, String> values) throws IOException {
    values.put("lineage.masters", addresses(lineageMasters));
    values.put("memory.bytes", Long.toString(memoryBytes(2 * lineageWorkers.size())));
    writePeers(LINEAGE_MASTER, lineageMasters, values, SailfishOptions.LINEAGE_MASTER_PREFIX);
    for (Server worker : lineageWorkers) {
      write(worker, fill(LINEAGE_WORKER, worker, values), SailfishOptions.LINEAGE_WORKER_PREFIX);
    }
    for (Server manager : workflowManagers) {
      Map<String, String> keys = fill(WORKFLOW, manager, values);
      keys.putAll(
          options.tls(SailfishOptions.LINEAGE_WORKER_PREFIX, SailfishOptions.WORKFLOW_PREFIX));
      write(manager, keys, SailfishOptions.WORKFLOW_PREFIX);
    }
  }

  /** Several of them know each other. */
  private void writePeers(
      String template, List<Server> servers, Map<String, String> values, String prefix)
      throws IOException {
    String peers =
        servers.stream()
            .map(server -> server.name() + "=" + server.address())
            .collect(Collectors.joining(","));
    for (Server server : servers) {
      Map<String, String> keys = fill(template, server, values);
      if (servers.size() > 1) {
        keys.put(prefix + "peer", server.name());
        keys.put(prefix + "peers", peers);
      }
      write(server, keys, prefix);
    }
  }

  private static Map<String, String> fill(
      String template, Server server, Map<String, String> values) {
    values.put("name", server.name());
    values.put("port", Integer.toString(server.port()));
    values.put("web.port", Integer.toString(server.webPort()));
    values.put("memory", server.memory().toString());
    return Template.fill(template, values::get);
  }

  /** Half of what the memory file system has left, shared by so many servers, up to a limit. */
  private long memoryBytes(int servers) throws IOException {
    long usable = Files.getFileStore(distribution.memory()).getUsableSpace();
    return Math.min(MAX_MEMORY_BYTES, usable / (2L * Math.max(1, servers)));
  }

  private void write(Server server, Map<String, String> keys, String prefix) throws IOException {
    StringBuilder text = new StringBuilder();
    options
        .over(keys, prefix)
        .forEach(
            (key, value) ->
                text.append(key).append('=').append(value.replace("\\", "\\\\")).append('\n'));
    Files.writeString(propertiesFile(layout, server.name()), text);
  }

  private static Path propertiesFile(ClusterLayout layout, String name) {
    return layout.conf().resolve(name + ".properties");
  }

  /**
   * A chunkserver, a worker of the lineage store or the web process that was started before.
   *
   * @param daemon of an earlier life
   */
  static DaemonSpec again(Distribution distribution, ClusterLayout layout, DaemonRecord daemon) {
    String name = daemon.name();
    if (isWeb(name)) {
      return webProcess(distribution, layout, daemon.address(), daemon.web());
    }
    return isLineageWorker(name)
        ? lineageWorker(distribution, layout, name, daemon.address(), daemon.web())
        : chunkserver(distribution, layout, name, daemon.address(), daemon.web());
  }

  /** The web process, which is started when all else runs; absent if there is to be none. */
  Optional<DaemonSpec> web() {
    return web.map(server -> webProcess(distribution, layout, server.address(), web(server)));
  }

  private static DaemonSpec webProcess(
      Distribution distribution, ClusterLayout layout, String address, String web) {
    return new DaemonSpec(
        WEB,
        distribution.javaCommand(
            List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError"),
            distribution.webJar().toString(),
            WEB_MAIN,
            List.of(propertiesFile(layout, WEB).toString())),
        Map.of(),
        address,
        web,
        client -> client.get("/q/health").isPresent());
  }

  /** The daemons but the web process, in the order in which they are to be started. */
  List<DaemonSpec> specs() {
    List<DaemonSpec> specs = new ArrayList<>();
    for (Server server : metaservers) {
      specs.add(
          spec(
              server,
              flags(distribution, "metaserver.jvm.options", "-Xmx512m", "-XX:+UseSerialGC"),
              "dev.sailfish.metaserver.MetaserverMain",
              status -> true));
    }
    for (Server server : chunkservers) {
      specs.add(chunkserver(distribution, layout, server.name(), server.address(), web(server)));
    }
    for (Server server : lineageMasters) {
      specs.add(
          spec(
              server,
              List.of("-Xmx512m", "-XX:+UseSerialGC"),
              LineageMaster.class.getName(),
              status -> true));
    }
    for (Server server : lineageWorkers) {
      specs.add(lineageWorker(distribution, layout, server.name(), server.address(), web(server)));
    }
    for (Server manager : workflowManagers) {
      specs.add(workflowManager(manager));
    }
    return specs;
  }

  /** It has the class path of Hadoop's clients, and no port but that of its web pages. */
  private DaemonSpec workflowManager(Server manager) {
    return new DaemonSpec(
        manager.name(),
        distribution.javaCommand(
            List.of("-Xmx512m", "-XX:+UseSerialGC"),
            layout.conf() + ":" + distribution.mountingClassPath(),
            WorkflowManager.class.getName(),
            List.of(propertiesFile(layout, manager.name()).toString())),
        Map.of("HADOOP_CONF_DIR", layout.conf().toString()),
        FreePorts.HOST + ":" + manager.webPort(),
        web(manager),
        client -> DaemonStatus.ask(client).isPresent());
  }

  /** These flags, and those of a file of {@code conf}. */
  private static List<String> flags(Distribution distribution, String file, String... own) {
    List<String> flags = new ArrayList<>(List.of(own));
    flags.addAll(distribution.options(file));
    return flags;
  }

  private DaemonSpec spec(
      Server server, List<String> flags, String mainClass, Predicate<DaemonStatus> ready) {
    return new DaemonSpec(
        server.name(),
        command(distribution, propertiesFile(layout, server.name()), flags, mainClass),
        Map.of(),
        server.address(),
        web(server),
        web -> DaemonStatus.ask(web).filter(ready).isPresent());
  }

  private String web(Server server) {
    String scheme = options.tlsClientFile().isPresent() ? "https://" : "http://";
    return scheme + FreePorts.HOST + ":" + server.webPort();
  }

  /**
   * A chunkserver whose configuration is written, for its first start or a later one.
   *
   * @param name as users see it
   * @param address of its protocol
   * @param web of its web pages
   */
  private static DaemonSpec chunkserver(
      Distribution distribution, ClusterLayout layout, String name, String address, String web) {
    List<String> flags =
        flags(
            distribution,
            "chunkserver.jvm.options",
            "-Xmx1g",
            "-XX:+UseParallelGC",
            "-XX:ParallelGCThreads=2");
    return new DaemonSpec(
        name,
        command(
            distribution,
            propertiesFile(layout, name),
            flags,
            "dev.sailfish.chunkserver.ChunkserverMain"),
        Map.of(),
        address,
        web,
        client -> DaemonStatus.ask(client).filter(DaemonStatus::knowsMetaserver).isPresent());
  }

  /** A worker of the lineage store whose configuration is written, likewise. */
  private static DaemonSpec lineageWorker(
      Distribution distribution, ClusterLayout layout, String name, String address, String web) {
    return new DaemonSpec(
        name,
        command(
            distribution,
            propertiesFile(layout, name),
            List.of("-Xmx256m", "-XX:+UseSerialGC"),
            LineageWorker.class.getName()),
        Map.of(),
        address,
        web,
        client -> DaemonStatus.ask(client).filter(DaemonStatus::knowsLineageMaster).isPresent());
  }

  private static List<String> command(
      Distribution distribution, Path properties, List<String> flags, String mainClass) {
    boolean mounts = MOUNTING.contains(mainClass);
    String classPath = mounts ? distribution.mountingClassPath() : distribution.sailfishClassPath();
    return distribution.javaCommand(flags, classPath, mainClass, List.of(properties.toString()));
  }
}
