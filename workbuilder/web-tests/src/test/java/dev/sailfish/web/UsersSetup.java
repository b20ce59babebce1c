package dev.sailfish.web;

import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.kdc.TestKdc;
import dev.sailfish.lineage.client.NamespaceClient;
import dev.sailfish.lineage.client.StoreClientConfig;
import dev.sailfish.lineage.master.LineageMaster;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import dev.sailfish.protocol.client.MetaserverClient;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.security.auth.Subject;

/**
 * A KDC, a metaserver and a lineage master in this JVM, and a YARN that is played by a stub, with
 * jobs and files of several users. {@code daemon} and {@code bin} are users that each Linux has, in
 * groups of the same names. For one thread.
 */
final class UsersSetup implements Closeable {
  static final String TOKEN = "the-token-of-the-pages";

  /** Of ann, who shows it to bob and the group bin. */
  static final String SHARED = "job_1_1";

  /** Of eve, who shows it to nobody. */
  static final String PRIVATE = "job_1_2";

  /** Of ann, has ended; she shows it to bob. */
  static final String ENDED = "job_1_3";

  static final String CLIENT = "sailfish/localhost";

  private static final String APPS = "/ws/v1/cluster/apps";

  final StubYarn yarn;
  final ShuffleSetup shuffle;
  final Path keytab;
  private final Path directory;
  private final TestKdc kdc;
  private final LineageMaster store;

  UsersSetup(Path directory) throws Exception {
    this.directory = directory;
    kdc = TestKdc.start(Files.createDirectories(directory.resolve("kdc")));
    keytab = kdc.keytab(Spnego.SERVICE, CLIENT, "ann", "bob", "bin", "daemon", "eve", "mallory");
    yarn = new StubYarn();
    shuffle = new ShuffleSetup(0, Optional.empty());
    store = store();
    jobs();
    files();
  }

  private LineageMaster store() throws IOException {
    Map<String, String> values = new HashMap<>();
    values.put("host", "127.0.0.1");
    values.put("port", "0");
    values.put("web.port", "0");
    values.put("authentication", "none");
    values.put("journal.dir", directory.resolve("journal").toString());
    Map<String, String> settings = new HashMap<>();
    values.forEach((key, value) -> settings.put("sailfish.lineage.master." + key, value));
    return LineageMaster.start(Settings.of(settings));
  }

  private void jobs() throws IOException {
    yarn.put(
        APPS + "?living",
        "{'apps':{'app':[%s,%s]}}"
            .formatted(app(SHARED, "ann", "RUNNING"), app(PRIVATE, "eve", "RUNNING")));
    yarn.put(APPS + "?ended", "{'apps':{'app':[%s]}}".formatted(app(ENDED, "ann", "FINISHED")));
    yarn.put(master(SHARED), job(SHARED, "ann", "RUNNING", "bob bin"));
    yarn.put(master(PRIVATE), job(PRIVATE, "eve", "RUNNING", " "));
    yarn.put("/ws/v1/history/mapreduce/jobs/" + ENDED, job(ENDED, "ann", "SUCCEEDED", "bob"));
    try (MetaserverClient client = shuffle.cluster()) {
      ShuffleSetup.create(client, SHARED, 1, "ann");
      ShuffleSetup.create(client, PRIVATE, 1, "eve");
      shuffle.write(client, SHARED, 0, 1_000_000, true);
      shuffle.write(client, PRIVATE, 0, 1_000_000, true);
    }
  }

  private static String master(String job) {
    return "/proxy/" + job.replace("job_", "application_") + "/ws/v1/mapreduce/jobs/" + job;
  }

  private static String app(String job, String user, String state) {
    return ("{'id':'%s','name':'sort of %s','user':'%s','queue':'queue of %s','state':'%s',"
            + "'finalStatus':'%s','startedTime':1000,'launchTime':2000,'finishedTime':%d}")
        .formatted(
            job.replace("job_", "application_"),
            user,
            user,
            user,
            state,
            state.equals("RUNNING") ? "UNDEFINED" : "SUCCEEDED",
            state.equals("RUNNING") ? 0 : System.currentTimeMillis());
  }

  private static String job(String id, String user, String state, String viewAcl) {
    return ("{'job':{'id':'%s','name':'sort of %s','user':'%s','state':'%s','submitTime':1000,"
            + "'startTime':2000,'finishTime':0,'mapsTotal':1,'mapsCompleted':0,'reducesTotal':1,"
            + "'reducesCompleted':0,'acls':[{'name':'mapreduce.job.acl-modify-job','value':'*'},"
            + "{'name':'mapreduce.job.acl-view-job','value':'%s'}]}}")
        .formatted(id, user, user, state, viewAcl);
  }

  private void files() throws IOException {
    StoreUser root = StoreUser.newBuilder().setName("root").setSuperuser(true).build();
    StoreClientConfig config =
        new StoreClientConfig(
            List.of(new InetSocketAddress("127.0.0.1", store.port())),
            Network.SOCKETS,
            Credentials.none(),
            root,
            Set.of(),
            StoreClientConfig.DEFAULT_BUFFER_BYTES,
            Duration.ofSeconds(20));
    try (NamespaceClient names = new NamespaceClient(config, 1)) {
      names.makeDirectories("/open", 0755);
      names.makeDirectories("/ann/secret", 0755);
      names.setMode("/ann", 0700);
      names.setOwner("/ann", "ann", "ann");
      names.makeDirectories("/team/plans", 0755);
      names.setMode("/team", 0750);
      names.setOwner("/team", "ann", "bin");
    }
  }

  /** Settings of a process whose users come with Kerberos. */
  Map<String, String> settings(String token) throws IOException {
    Path file = WebProcess.tokenFile(directory.resolve("token-" + token.hashCode()), token);
    Map<String, String> settings = new HashMap<>();
    settings.put("authentication", "none");
    settings.put("metaserver.address", shuffle.place());
    settings.put("lineage.masters", "127.0.0.1:" + store.port());
    settings.put("resourcemanager", "http://localhost:" + yarn.port());
    settings.put("historyserver", "http://localhost:" + yarn.port());
    settings.put("token.file", file.toString());
    settings.put("kerberos.principal", Spnego.SERVICE + "@" + TestKdc.REALM);
    settings.put("kerberos.keytab", keytab.toString());
    return settings;
  }

  /** A user with a ticket. */
  Subject user(String name) throws Exception {
    return TestKdc.login(name, keytab);
  }

  @Override
  public void close() throws IOException {
    store.close();
    shuffle.close();
    yarn.close();
    kdc.close();
  }
}
