package dev.sailfish.system.yarn;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sailfish.ground.config.HostPort;
import dev.sailfish.system.SailfishCommand;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.security.auth.Subject;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import javax.security.auth.login.Configuration;
import javax.security.auth.login.LoginContext;
import javax.security.auth.login.LoginException;
import org.apache.hadoop.minikdc.MiniKdc;

/**
 * A local cluster whose daemons and user have keytabs of a real KDC: Hadoop's RPC asks for tickets
 * and tokens, and the metaserver for tickets and delegation tokens.
 */
public final class KerberizedCluster {
  private static final Duration START = Duration.ofMinutes(4);
  private static final String DAEMONS = "/localhost";
  private static final String SERVICE = "sailfish";
  private static final String KDC_OPTION = "-Djava.security.krb5.conf=";

  /** Containers run as the NodeManager's user, so that is the user who submits. */
  static final String USER = System.getProperty("user.name");

  /** Two people of whom Hadoop makes that user: its files are theirs. Sailfish knows them apart. */
  static final String ALICE = "alice";

  static final String BOB = "bob";

  private static final String RULES =
      "RULE:[1:$1](%s|%s)s/.*/%s/ DEFAULT".formatted(ALICE, BOB, USER);

  private final Path directory;
  private final MiniKdc kdc;
  private final File users;

  private KerberizedCluster(Path directory, MiniKdc kdc) {
    this.directory = directory;
    this.kdc = kdc;
    users = directory.resolve("user.keytab").toFile();
  }

  /** Starts the KDC and the daemons. */
  public static KerberizedCluster start(Path directory) throws Exception {
    return start(directory, 0);
  }

  /**
   * The same with a lineage store, whose master has the metaserver's principal, and so has the
   * workflow manager, which may stand for the user and for nobody else.
   *
   * @param lineageWorkers 0: there is no store
   */
  static KerberizedCluster start(Path directory, int lineageWorkers) throws Exception {
    MiniKdc kdc = new MiniKdc(MiniKdc.createConf(), directory.resolve("kdc").toFile());
    kdc.start();
    KerberizedCluster cluster = new KerberizedCluster(directory, kdc);
    File keytab = directory.resolve("daemons.keytab").toFile();
    kdc.createPrincipal(keytab, "rm" + DAEMONS, "nm" + DAEMONS, "jhs" + DAEMONS, SERVICE + DAEMONS);
    kdc.createPrincipal(cluster.users, USER, ALICE, BOB);
    List<String> start =
        new ArrayList<>(List.of("start", "--no-web", "--lineage-workers=" + lineageWorkers));
    start.addAll(YarnSettings.quick());
    Map<String, String> settings = cluster.settings(keytab.getAbsolutePath());
    if (lineageWorkers > 0) {
      settings.put("sailfish.lineage.master.kerberos.principal", cluster.metaserver());
      settings.put("sailfish.lineage.master.kerberos.keytab", keytab.getAbsolutePath());
      settings.put("sailfish.workflow.kerberos.principal", cluster.metaserver());
      settings.put("sailfish.workflow.kerberos.keytab", keytab.getAbsolutePath());
      settings.put("hadoop.proxyuser." + SERVICE + ".hosts", "*");
      settings.put("hadoop.proxyuser." + SERVICE + ".users", USER);
      settings.put("sailfish.metaserver.kerberos.proxy.users", SERVICE);
      settings.put("sailfish.lineage.master.kerberos.proxy.users", SERVICE);
    }
    settings.forEach((key, value) -> start.add("-D" + key + "=" + value));
    cluster.user().succeed(START, start.toArray(new String[0]));
    return cluster;
  }

  private Map<String, String> settings(String keytab) {
    Map<String, String> settings = new HashMap<>();
    settings.put("hadoop.security.authentication", "kerberos");
    settings.put("hadoop.security.auth_to_local", RULES);
    settings.put("yarn.resourcemanager.principal", principal("rm" + DAEMONS));
    settings.put("yarn.resourcemanager.keytab", keytab);
    settings.put("yarn.nodemanager.principal", principal("nm" + DAEMONS));
    settings.put("yarn.nodemanager.keytab", keytab);
    settings.put("mapreduce.jobhistory.principal", principal("jhs" + DAEMONS));
    settings.put("mapreduce.jobhistory.keytab", keytab);
    settings.put("yarn.nodemanager.admin-env", "JAVA_TOOL_OPTIONS=" + kdcOption());
    settings.put("sailfish.metaserver.kerberos.principal", metaserver());
    settings.put("sailfish.metaserver.kerberos.keytab", keytab);
    settings.put("yarn.resourcemanager.connect.max-wait.ms", "5000");
    settings.put("yarn.resourcemanager.connect.retry-interval.ms", "1000");
    return settings;
  }

  private String kdcOption() {
    return KDC_OPTION + kdc.getKrb5conf().getAbsolutePath();
  }

  private String principal(String name) {
    return name + "@" + kdc.getRealm();
  }

  /** The metaserver's principal. */
  String metaserver() {
    return principal(SERVICE + DAEMONS);
  }

  /** Where the metaserver listens. */
  InetSocketAddress metaserverAddress() throws IOException {
    JsonNode state =
        new ObjectMapper().readTree(directory.resolve("cluster/cluster.json").toFile());
    for (JsonNode daemon : state.path("daemons")) {
      if (daemon.path("name").asText().equals("metaserver")) {
        HostPort address = HostPort.parse(daemon.path("address").asText());
        return new InetSocketAddress(address.host(), address.port());
      }
    }
    throw new IOException("no metaserver in " + state);
  }

  /** Who has a keytab. */
  public SailfishCommand user() {
    return user(USER);
  }

  /** One of those who have. */
  SailfishCommand user(String name) {
    return new SailfishCommand(directory, environment(name));
  }

  /** Logs one of them in in this process, as kinit does. */
  Subject login(String name) throws LoginException {
    Map<String, String> options =
        Map.of(
            "refreshKrb5Config",
            "true",
            "useKeyTab",
            "true",
            "keyTab",
            users.getAbsolutePath(),
            "principal",
            principal(name),
            "doNotPrompt",
            "true");
    AppConfigurationEntry entry =
        new AppConfigurationEntry(
            "com.sun.security.auth.module.Krb5LoginModule",
            LoginModuleControlFlag.REQUIRED,
            options);
    Configuration configuration =
        new Configuration() {
          @Override
          public AppConfigurationEntry[] getAppConfigurationEntry(String unused) {
            return new AppConfigurationEntry[] {entry};
          }
        };
    LoginContext context = new LoginContext(name, new Subject(), null, configuration);
    context.login();
    return context.getSubject();
  }

  /** Environment of the user's programs. */
  public Map<String, String> environment() {
    return environment(USER);
  }

  private Map<String, String> environment(String name) {
    Map<String, String> environment = strangersEnvironment();
    environment.put("KRB5PRINCIPAL", principal(name));
    environment.put("KRB5KEYTAB", users.getAbsolutePath());
    return environment;
  }

  private Map<String, String> strangersEnvironment() {
    Map<String, String> environment = new HashMap<>(YarnSettings.ENVIRONMENT);
    environment.put("JAVA_TOOL_OPTIONS", kdcOption());
    return environment;
  }

  /** Who has none. */
  SailfishCommand stranger() {
    return new SailfishCommand(directory, strangersEnvironment());
  }

  /** The configuration directory of its daemons and clients. */
  public Path conf() {
    return directory.resolve("cluster/conf");
  }

  /** Ends both. */
  public void stop() throws Exception {
    user().succeed(START, "stop");
    kdc.stop();
  }
}
