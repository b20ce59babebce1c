package dev.sailfish.system.programs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.localcluster.HdfsProcesses;
import dev.sailfish.system.SailfishCommand;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A NameNode and two DataNodes, as processes of their own. */
public final class HdfsCluster {
  private static final int DATA_NODES = 2;
  private static final List<String> FLAGS =
      List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  private final HdfsProcesses processes;

  private HdfsCluster(HdfsProcesses processes) {
    this.processes = processes;
  }

  /** Starts one, empty, and waits until it takes files. */
  public static HdfsCluster start(Path directory) throws Exception {
    Path root = SailfishCommand.projectRoot();
    String classPath =
        root.resolve("hadoop-plugin/cli/target/dist/hadoop/lib")
            + "/*:"
            + root.resolve("tests/runtimes/hdfs/target/lib")
            + "/*";
    return new HdfsCluster(
        HdfsProcesses.start(
            directory, new HdfsProcesses.Setup(DATA_NODES, classPath, FLAGS, Optional.empty())));
  }

  /** What clients set as {@code fs.defaultFS}. */
  public String address() {
    return processes.address();
  }

  /** Has the NameNode answer nobody, or go on. */
  public void suspendNameNode(boolean suspended) throws Exception {
    String signal = suspended ? "-STOP" : "-CONT";
    String pid = Long.toString(processes.nameNode().pid());
    assertThat(new ProcessBuilder("kill", signal, pid).start().waitFor()).isZero();
  }

  /** Ends one that has started. */
  public static void stop(HdfsCluster cluster) {
    if (cluster != null) {
      cluster.processes.close();
    }
  }
}
