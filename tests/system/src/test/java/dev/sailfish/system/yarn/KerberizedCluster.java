package dev.sailfish.system.yarn;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sailfish.ground.config.HostPort;
import dev.sailfish.system.SailfishCommand;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.security.auth.Subject;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import javax.security.auth.login.Configuration;
import javax.security.auth.login.LoginContext;
import javax.security.auth.login.LoginException;
import org.apache.hadoop.minikdc.MiniKdc;

/**
 * A local cluster whose daemons and user have keytabs of a real KDC: Hadoop's RPC asks for tickets
 * and tokens, and the metaserver for tickets and delegation tokens. If a test wants it, so do
 * Hadoop's web pages.
 */
public final class KerberizedCluster {
  private static final Duration START = Duration.ofMinutes(4);
  private static final String DAEMONS = "/localhost";
  private static final String SERVICE = "sailfish";
  private static final String KDC_OPTION = "-Djava.security.krb5.conf=";

  /** Containers run as the NodeManager's user, so that is the user who submits. */
  static final String USER = System.getProperty("user.name");

  /** Two people of whom Hadoop makes that user: its files are theirs. Sailfish knows them apart. */
  public static final String ALICE = "alice";

  public static final String BOB = "bob";

  /** On a cluster with pages one who sees all jobs, and one who has none. */
  public static final String CAROL = "carol";

  public static final String MALLORY = "mallory";

  /**
   * The key and rules that make that user of them: to clients on any cluster, and to daemons of one
   * without pages.
   */
  public static final String ONE_OWNER =
      "hadoop.security.auth_to_local=RULE:[1:$1](%s|%s)s/.*/%s/ DEFAULT"
          .formatted(ALICE, BOB, USER);

  private static final String PAGES = "HTTP";

  private final Path directory;
  private final MiniKdc kdc;
  private final File users;
  private final File daemons;

  private KerberizedCluster(Path directory, MiniKdc kdc) {
    this.directory = directory;
    this.kdc = kdc;
    users = directory.resolve("user.keytab").toFile();
    daemons = directory.resolve("daemons.keytab").toFile();
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
    KerberizedCluster cluster = create(directory);
    Map<String, String> settings = cluster.settings();
    if (lineageWorkers > 0) {
      settings.putAll(cluster.storeSettings());
    }
    cluster.startDaemons(settings, lineageWorkers);
    return cluster;
  }

  /**
   * The same with web pages of ResourceManager and history server that want tickets, and with lists
   * of who may see jobs that count. Alice and Bob are themselves to YARN, unless their clients go
   * by {@link #ONE_OWNER}, which they need for their files.
   */
  public static KerberizedCluster startWithPages(Path directory) throws Exception {
    KerberizedCluster cluster = create(directory);
    Map<String, String> settings = cluster.settings();
    settings.putAll(cluster.pageSettings());
    cluster.startDaemons(settings, 0);
    cluster.shareStaging();
    return cluster;
  }

  /** Clients stage jobs as the one owner; ApplicationMasters look below the name of the user. */
  private void shareStaging() throws IOException {
    Path staging = directory.resolve("cluster/data/staging");
    Path owner = Files.createDirectories(staging.resolve(USER));
    Files.createDirectory(
        owner.resolve(".staging"),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    for (String user : List.of(ALICE, BOB)) {
      Files.createSymbolicLink(staging.resolve(user), owner);
    }
  }

  private static KerberizedCluster create(Path directory) throws Exception {
    MiniKdc kdc = new MiniKdc(MiniKdc.createConf(), directory.resolve("kdc").toFile());
    kdc.start();
    KerberizedCluster cluster = new KerberizedCluster(directory, kdc);
    kdc.createPrincipal(
        cluster.daemons,
        "rm" + DAEMONS,
        "nm" + DAEMONS,
        "jhs" + DAEMONS,
        SERVICE + DAEMONS,
        PAGES + DAEMONS);
    kdc.createPrincipal(cluster.users, USER, ALICE, BOB, CAROL, MALLORY);
    return cluster;
  }

  private void startDaemons(Map<String, String> settings, int lineageWorkers) throws Exception {
    List<String> start =
        new ArrayList<>(List.of("start", "--no-web", "--lineage-workers=" + lineageWorkers));
    start.addAll(YarnSettings.quick());
    settings.forEach((key, value) -> start.add("-D" + key + "=" + value));
    user().succeed(START, start.toArray(new String[0]));
  }

  private Map<String, String> storeSettings() {
    Map<String, String> settings = new HashMap<>();
    settings.put("sailfish.lineage.master.kerberos.principal", metaserver());
    settings.put("sailfish.lineage.master.kerberos.keytab", keytab());
    settings.put("sailfish.workflow.kerberos.principal", metaserver());
    settings.put("sailfish.workflow.kerberos.keytab", keytab());
    settings.put("hadoop.proxyuser." + SERVICE + ".hosts", "*");
    settings.put("hadoop.proxyuser." + SERVICE + ".users", USER);
    settings.put("sailfish.metaserver.kerberos.proxy.users", SERVICE);
    settings.put("sailfish.lineage.master.kerberos.proxy.users", SERVICE);
    return settings;
  }

  private Map<String, String> pageSettings() throws IOException {
    String http = "hadoop.http.authentication.";
    Path signature = directory.resolve("http-signature");
    Files.writeString(signature, UUID.randomUUID().toString());
    Map<String, String> settings = new HashMap<>();
    settings.put("hadoop.security.auth_to_local", "DEFAULT");
    settings.put(
        "hadoop.http.filter.initializers",
        "org.apache.hadoop.security.AuthenticationFilterInitializer");
    settings.put(http + "type", "kerberos");
    settings.put(http + "kerberos.principal", pages());
    settings.put(http + "kerberos.keytab", keytab());
    settings.put(http + "signature.secret.file", signature.toString());
    settings.put("yarn.resourcemanager.webapp.spnego-principal", pages());
    settings.put("yarn.resourcemanager.webapp.spnego-keytab-file", keytab());
    settings.put("mapreduce.jobhistory.webapp.spnego-principal", pages());
    settings.put("mapreduce.jobhistory.webapp.spnego-keytab-file", keytab());
    settings.put("yarn.acl.enable", "true");
    settings.put("yarn.admin.acl", SERVICE);
    settings.put("mapreduce.cluster.acls.enabled", "true");
    // To an ApplicationMaster the job's own client is the one owner.
    settings.put("mapreduce.cluster.administrators", SERVICE + "," + USER);
    return settings;
  }

  private Map<String, String> settings() {
    Map<String, String> settings = new HashMap<>();
    settings.put("hadoop.security.authentication", "kerberos");
    String[] rules = ONE_OWNER.split("=", 2);
    settings.put(rules[0], rules[1]);
    settings.put("yarn.resourcemanager.principal", principal("rm" + DAEMONS));
    settings.put("yarn.resourcemanager.keytab", keytab());
    settings.put("yarn.nodemanager.principal", principal("nm" + DAEMONS));
    settings.put("yarn.nodemanager.keytab", keytab());
    settings.put("mapreduce.jobhistory.principal", principal("jhs" + DAEMONS));
    settings.put("mapreduce.jobhistory.keytab", keytab());
    settings.put("yarn.nodemanager.admin-env", "JAVA_TOOL_OPTIONS=" + kdcOption());
    settings.put("sailfish.metaserver.kerberos.principal", metaserver());
    settings.put("sailfish.metaserver.kerberos.keytab", keytab());
    settings.put("yarn.resourcemanager.connect.max-wait.ms", "5000");
    settings.put("yarn.resourcemanager.connect.retry-interval.ms", "1000");
    return settings;
  }

  private String kdcOption() {
    return KDC_OPTION + kdc.getKrb5conf().getAbsolutePath();
  }

  /** The principal of one who has a keytab. */
  public String principal(String name) {
    return name + "@" + kdc.getRealm();
  }

  /** Keys of the daemons. */
  public String keytab() {
    return daemons.getAbsolutePath();
  }

  /** Keys of people. */
  public Path usersKeytab() {
    return users.toPath();
  }

  /** How the KDC is found. */
  public Path krb5Conf() {
    return kdc.getKrb5conf().toPath();
  }

  /** Whose tickets web pages on this host are opened with. */
  public String pages() {
    return principal(PAGES + DAEMONS);
  }

  /** The metaserver's principal, who sees all that YARN shows. */
  public String metaserver() {
    return principal(SERVICE + DAEMONS);
  }

  /** Where the metaserver listens. */
  public InetSocketAddress metaserverAddress() throws IOException {
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
  public SailfishCommand user(String name) {
    return new SailfishCommand(directory, environment(name));
  }

  /** Logs one of them in in this process, as kinit does. */
  public Subject login(String name) throws LoginException {
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

  /** Environment of programs of one who has no keytab. */
  public Map<String, String> strangersEnvironment() {
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
