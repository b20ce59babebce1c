package dev.sailfish.benchmarks.jobs.storage;

import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.DaemonRecord;
import dev.sailfish.localcluster.Directories;
import dev.sailfish.localcluster.Distribution;
import dev.sailfish.localcluster.HdfsProcesses;
import dev.sailfish.localcluster.LocalCluster;
import dev.sailfish.localcluster.SiteFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Where the contenders are: the lineage store of a local cluster, and others in a directory of
 * their own on its memory file system. Rivals are started when they are first asked for. Not
 * thread-safe.
 */
public final class StorageServers implements AutoCloseable {
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");
  private static final String PREFIX = "sailfish-bench-";
  private static final List<String> DAEMON_FLAGS = List.of("-Xmx512m", "-XX:+UseSerialGC");

  private final LocalCluster cluster;
  private final Distribution distribution;
  private final Consumer<String> progress;
  private final Path memory;
  private final Path sharedMemory;
  private final Path dist;
  private final Map<StorageContender, HdfsProcesses> hdfs = new EnumMap<>(StorageContender.class);
  private AlluxioProcesses alluxio;
  private final Thread atExit = new Thread(this::clean, "clean-storage");

  /**
   * @param cluster that runs
   * @param progress receives a line for each step
   */
  public StorageServers(LocalCluster cluster, Consumer<String> progress) throws IOException {
    this.cluster = cluster;
    this.distribution = cluster.distribution();
    this.progress = progress;
    this.memory = Files.createTempDirectory(distribution.memory(), PREFIX);
    this.sharedMemory = Files.createTempDirectory(SHARED_MEMORY, PREFIX);
    this.dist = distribution.root().resolve("benchmarks/jobs/target/dist");
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  /** What a client of a contender is told. */
  public StoragePlace place(StorageContender contender) throws IOException {
    return switch (contender) {
      case SHM -> plain("java", sharedMemory.resolve("java").toString());
      case JAVA -> plain("java", memory.resolve("java").toString());
      case CHECKED -> plain("checked", memory.resolve("checked").toString());
      case STORE -> plain("store", masters(cluster) + "," + cluster.layout().secret());
      case RAW -> onHadoop("raw", memory.resolve("raw").toString(), cluster.layout().conf());
      case LINEAGE -> {
        masters(cluster);
        yield onHadoop("hadoop", "lineage:///bench/hadoop", cluster.layout().conf());
      }
      case HDFS1 -> hdfs(contender, 1);
      case HDFS3 -> hdfs(contender, 3);
      case ALLUXIO -> alluxio();
    };
  }

  /** A directory of a file system that Hadoop knows, with the configuration of the cluster. */
  public StoragePlace place(String uri) {
    return onHadoop("hadoop", uri, cluster.layout().conf());
  }

  /**
   * The same with further keys.
   *
   * @param name of a directory for them, which no other place has
   */
  public StoragePlace place(String uri, String name, Map<String, String> keys) throws IOException {
    Path conf = Files.createDirectories(memory.resolve("conf-" + name));
    SiteFile.write(
        conf.resolve("core-site.xml"),
        Optional.of(cluster.layout().conf().resolve("core-site.xml")),
        keys);
    return onHadoop("hadoop", uri, conf);
  }

  private StoragePlace plain(String kind, String place) {
    String classPath = distribution.sailfishClassPath() + ":" + dist.resolve("lib") + "/*";
    return new StoragePlace(kind, place, classPath, List.of());
  }

  /** With what a job's client has, and Hadoop's native library. */
  private StoragePlace onHadoop(String kind, String place, Path conf) {
    String classPath =
        String.join(
            ":",
            conf.toString(),
            distribution.clientJar().toString(),
            dist.resolve("lib/sailfish-store-benchmarks.jar").toString(),
            dist.resolve("lib/sailfish-limited-fs.jar").toString(),
            distribution.hadoopClassPath());
    List<String> flags =
        nativeLibraries().map(path -> List.of("-Djava.library.path=" + path)).orElse(List.of());
    return new StoragePlace(kind, place, classPath, flags);
  }

  private Optional<Path> nativeLibraries() {
    String machine = System.getProperty("os.arch").equals("aarch64") ? "aarch64" : "amd64";
    return Optional.of(dist.resolve("native/nativelib/Linux-" + machine))
        .filter(path -> Files.exists(path.resolve("libhadoop.so")));
  }

  private StoragePlace hdfs(StorageContender contender, int dataNodes) throws IOException {
    synchronized (hdfs) {
      HdfsProcesses running = running(contender, dataNodes);
      return onHadoop("hadoop", running.address() + "/bench", running.clientConfiguration());
    }
  }

  /** HDFS with so many DataNodes and copies, for jobs of the cluster. */
  public HdfsPlace hdfs(int dataNodes) throws IOException {
    synchronized (hdfs) {
      StorageContender contender = dataNodes == 1 ? StorageContender.HDFS1 : StorageContender.HDFS3;
      HdfsProcesses running = running(contender, dataNodes);
      Map<String, String> keys = new TreeMap<>(running.clientKeys());
      nativeLibraries()
          .ifPresent(
              path -> {
                keys.put("mapreduce.map.env", "LD_LIBRARY_PATH=" + path);
                keys.put("mapreduce.reduce.env", "LD_LIBRARY_PATH=" + path);
              });
      return new HdfsPlace(running.address(), keys, running::cpuSeconds);
    }
  }

  private HdfsProcesses running(StorageContender contender, int dataNodes) throws IOException {
    HdfsProcesses running = hdfs.get(contender);
    if (running == null) {
      if (nativeLibraries().isEmpty()) {
        progress.accept("no libhadoop.so for this machine: HDFS is read through its DataNodes");
      }
      progress.accept("starting HDFS with " + dataNodes + " DataNodes on " + memory);
      running =
          HdfsProcesses.start(
              memory.resolve(contender.toString()),
              new HdfsProcesses.Setup(
                  dataNodes, distribution.hadoopClassPath(), DAEMON_FLAGS, nativeLibraries()));
      hdfs.put(contender, running);
    }
    return running;
  }

  private StoragePlace alluxio() throws IOException {
    Path jars = distribution.root().resolve("benchmarks/alluxio/target");
    Path client = jars.resolve("client");
    if (!Files.isDirectory(client)) {
      throw new CommandException(
          "Alluxio's jars are not there: mvn -f %s package downloads them (230 MB)."
              .formatted(distribution.root().resolve("benchmarks/alluxio/pom.xml")));
    }
    synchronized (hdfs) {
      if (alluxio == null) {
        progress.accept("starting Alluxio on " + memory);
        alluxio = AlluxioProcesses.start(memory.resolve("alluxio"), jars.resolve("lib"));
      }
    }
    StoragePlace hadoop =
        place(
            alluxio.address() + "/bench",
            "alluxio",
            Map.of("fs.alluxio.impl", "alluxio.hadoop.FileSystem"));
    List<String> flags = new ArrayList<>(hadoop.flags());
    flags.addAll(alluxio.clientFlags());
    String classPath = hadoop.classPath().replaceFirst(":", ":" + client + "/*:");
    return new StoragePlace(hadoop.kind(), hadoop.place(), classPath, flags);
  }

  /** {@code host:port} of the store's masters, a semicolon between two. */
  private static String masters(LocalCluster cluster) {
    return masterRecords(cluster).stream()
        .map(DaemonRecord::address)
        .collect(Collectors.joining(";"));
  }

  /** The store's masters, at least one. */
  static List<DaemonRecord> masterRecords(LocalCluster cluster) {
    List<DaemonRecord> masters = cluster.state().lineageMasters();
    if (masters.isEmpty()) {
      throw new CommandException(
          "The cluster that runs has no lineage store: stop it first, or name another --dir.");
    }
    return masters;
  }

  /** A directory where clients touch memory for what they will write. */
  public Path memory() {
    return memory;
  }

  /** Deletes the plain files that a client left, if it was ended. */
  public void clear() {
    Directories.delete(sharedMemory.resolve("java"));
    Directories.delete(memory.resolve("java"));
    Directories.delete(memory.resolve("checked"));
    Directories.delete(memory.resolve("raw"));
  }

  /** Ends the rivals, and deletes all that is in memory; so does the end of this JVM. */
  @Override
  public void close() {
    clean();
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      return; // the JVM ends, and cleans for itself
    }
  }

  private void clean() {
    synchronized (hdfs) {
      hdfs.values().forEach(HdfsProcesses::close);
      if (alluxio != null) {
        alluxio.close();
      }
      Directories.delete(sharedMemory);
      Directories.delete(memory);
    }
  }
}
