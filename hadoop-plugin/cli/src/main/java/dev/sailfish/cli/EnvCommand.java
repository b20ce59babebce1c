package dev.sailfish.cli;

import dev.sailfish.ground.wire.introduction.ServerKey;
import dev.sailfish.localcluster.Distribution;
import dev.sailfish.localcluster.KerberosKeys;
import dev.sailfish.localcluster.LocalCluster;
import dev.sailfish.localcluster.client.Shuffle;
import java.io.PrintWriter;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code sailfish env}. */
@Command(
    name = "env",
    description =
        "Prints what an operator sets so that jobs of a cluster shuffle through Sailfish.",
    mixinStandardHelpOptions = true)
final class EnvCommand implements Callable<Integer> {
  @Mixin private ClusterOptions options;

  @Mixin private SecretOptions secret;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    Distribution distribution = Distribution.current();
    PrintWriter out = spec.commandLine().getOut();
    String metaserver =
        options.cluster(distribution, line -> {}).recordedState().metaservers().stream()
            .map(daemon -> daemon.address())
            .collect(Collectors.joining(","));
    out.println("# Client jar: copy it to the same path on every node.");
    out.println("SAILFISH_CLIENT_JAR=" + distribution.clientJar());
    out.println();
    out.println("# mapred-site.xml: the class path of application master and tasks.");
    property(
        out,
        "mapreduce.application.classpath",
        distribution.clientJar()
            + ",$HADOOP_MAPRED_HOME/share/hadoop/mapreduce/*"
            + ",$HADOOP_MAPRED_HOME/share/hadoop/mapreduce/lib/*");
    out.println();
    out.println("# mapred-site.xml for all jobs, or -Dkey=value for one.");
    Shuffle.SAILFISH.configuration().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(entry -> property(out, entry.getKey(), entry.getValue()));
    property(out, Shuffle.METASERVER_ADDRESS, metaserver.isEmpty() ? "HOST:PORT" : metaserver);
    property(
        out,
        Shuffle.METASERVER_PUBLIC_KEY,
        secret
            .orLocal(options.layout(distribution))
            .map(bytes -> ServerKey.of(bytes).publicText())
            .orElse("KEY printed by: sailfish env --secret-file FILE"));
    kerberos(distribution, out);
    out.println();
    out.println(
        "# mapred-site.xml: the stock application master charges a lost chunk to the map, and to");
    out.println("# the node where that ran (docs/OPERATIONS.md).");
    property(out, "yarn.app.mapreduce.am.job.node-blacklisting.enable", "false");
    property(out, "mapreduce.map.maxattempts", "8");
    return 0;
  }

  private void kerberos(Distribution distribution, PrintWriter out) {
    LocalCluster cluster = options.cluster(distribution, line -> {});
    Map<String, String> keys =
        cluster.recordedState().metaservers().stream()
            .findFirst()
            .map(first -> KerberosKeys.of(cluster.layout(), first))
            .orElse(Map.of());
    if (!keys.isEmpty()) {
      out.println();
      out.println(
          "# mapred-site.xml of clients: Kerberos. Their class path needs the client jar too.");
      keys.forEach((key, value) -> property(out, key, value));
    }
  }

  private static void property(PrintWriter out, String key, String value) {
    out.println("<property><name>" + key + "</name><value>" + value + "</value></property>");
  }
}
