package dev.sailfish.cli;

import dev.sailfish.ground.wire.introduction.ServerKey;
import dev.sailfish.localcluster.Distribution;
import dev.sailfish.localcluster.client.ReduceWork;
import dev.sailfish.localcluster.client.Shuffle;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sailfish env}. */
@Command(
    name = "env",
    description =
        "Prints what an operator sets so that jobs of a cluster shuffle through Sailfish.")
final class EnvCommand extends TerminalCommand {
  @Mixin private ClusterOptions options;

  @Mixin private SecretOptions secret;

  @Option(
      names = "--metaserver",
      paramLabel = "HOST:PORT[,HOST:PORT...]",
      description =
          "Addresses of the metaservers, as tasks reach them (default: that of the running local"
              + " cluster, else a place to fill in).")
  private Optional<String> metaserver;

  @Override
  public Integer call() throws IOException {
    String jar = Distribution.current().clientJar().toString();
    Map<String, String> keys = new TreeMap<>(Shuffle.SAILFISH.configuration());
    keys.put(Shuffle.METASERVER_ADDRESS, "HOST:PORT");
    keys.put(Shuffle.METASERVER_PUBLIC_KEY, "KEY printed by: sailfish env --secret-file FILE");
    keys.putAll(options.cluster().recordedState().jobKeys());
    metaserver.ifPresent(address -> keys.put(Shuffle.METASERVER_ADDRESS, address));
    secret
        .named()
        .map(bytes -> ServerKey.of(bytes).publicText())
        .ifPresent(key -> keys.put(Shuffle.METASERVER_PUBLIC_KEY, key));
    PrintWriter out = out();
    out.println("# Client jar: copy it to the same path on every node.");
    out.println("SAILFISH_CLIENT_JAR=" + jar);
    out.println();
    out.println("# mapred-site.xml: the class path of application master and tasks. With Kerberos");
    out.println("# (fs.sailfish.impl below) that of clients needs the client jar too.");
    property(
        "mapreduce.application.classpath",
        jar
            + ",$HADOOP_MAPRED_HOME/share/hadoop/mapreduce/*"
            + ",$HADOOP_MAPRED_HOME/share/hadoop/mapreduce/lib/*");
    out.println();
    out.println("# mapred-site.xml for all jobs, or -Dkey=value for one.");
    keys.forEach(this::property);
    out.println();
    out.println(
        "# mapred-site.xml: the stock application master charges a lost chunk to the map, and to");
    out.println("# the node where that ran (docs/OPERATIONS.md).");
    property("yarn.app.mapreduce.am.job.node-blacklisting.enable", "false");
    property("mapreduce.map.maxattempts", "8");
    out.println();
    applicationMaster(out);
    return 0;
  }

  private static void applicationMaster(PrintWriter out) {
    out.println(
        "# mapred-site.xml, optional: Sailfish's ApplicationMaster decides the reduce tasks");
    out.println(
        "# of jobs with sailfish.reduce.work=auto by their data, and makes lost map output");
    out.println(
        "# again at once (docs/APPLICATION-MASTER.md). A job that sets this key itself gets");
    out.println("# Hadoop's own.");
    String options = "-Xmx1024m " + ReduceWork.SAILFISH;
    String value = options.replace("<", "&lt;").replace(">", "&gt;");
    out.println("<!-- " + line(ReduceWork.MASTER_OPTIONS, value) + " -->");
  }

  private void property(String key, String value) {
    out().println(line(key, value));
  }

  private static String line(String key, String value) {
    return "<property><name>" + key + "</name><value>" + value + "</value></property>";
  }
}
