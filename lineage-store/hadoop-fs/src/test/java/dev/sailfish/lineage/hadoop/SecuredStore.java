package dev.sailfish.lineage.hadoop;

import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.testkit.TestAuthority;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.security.PrivilegedExceptionAction;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;

/** A store that has a secret and speaks TLS, which the tests of one JVM share. */
final class SecuredStore {
  private static SecuredStore running;

  private final java.nio.file.Path secret;
  private final java.nio.file.Path clientFile;
  private final SharedStore store;

  private SecuredStore() throws IOException {
    java.nio.file.Path directory = Files.createTempDirectory("lineage-fs-keys-");
    secret = directory.resolve("secret");
    ClusterSecret.create(secret);
    TestAuthority authority = TestAuthority.create(directory);
    clientFile = authority.clientFile();
    java.nio.file.Path serverFile = authority.serverFile(authority.issue("store"), false);
    Map<String, String> settings =
        new HashMap<>(Map.of("authentication", "secret", "cluster.secret.file", secret.toString()));
    settings.putAll(authority.daemon("", serverFile, clientFile));
    store = SharedStore.start(settings);
  }

  static synchronized SecuredStore running() throws IOException {
    if (running == null) {
      running = new SecuredStore();
      try (FileSystem root = FileSystem.newInstance(running.uri(), running.withSecret())) {
        root.setPermission(new Path("/"), new FsPermission((short) 0777));
      }
    }
    return running;
  }

  URI uri() {
    return URI.create("lineage://127.0.0.1:" + store.port());
  }

  /** Of a client that knows nothing but whom to trust. */
  Configuration configuration() {
    Configuration conf = new Configuration();
    conf.set("fs.AbstractFileSystem.lineage.impl", LineageFs.class.getName());
    conf.set(LineageKey.HOSTS.name(), SharedStore.HOSTS.get(0));
    conf.set(LineageKey.TLS.name(), "required");
    conf.set(LineageKey.TLS_FILE.name(), clientFile.toString());
    conf.set(LineageKey.PATIENCE.name(), "5s");
    conf.set("fs.defaultFS", uri().toString());
    return conf;
  }

  /** Of a client that has the cluster's secret, and whose user is the superuser. */
  Configuration withSecret() throws IOException {
    Configuration conf = configuration();
    conf.set(LineageKey.SECRET_FILE.name(), secret.toString());
    conf.set(LineageKey.SUPERUSER.name(), UserGroupInformation.getCurrentUser().getShortUserName());
    return conf;
  }

  /** The tokens that a job of a user gets when it is submitted. */
  Credentials tokensOf(String user) throws Exception {
    Credentials credentials = new Credentials();
    PrivilegedExceptionAction<Void> collect =
        () -> {
          try (FileSystem fs = FileSystem.newInstance(uri(), withSecret())) {
            fs.addDelegationTokens("yarn", credentials);
          }
          return null;
        };
    UserGroupInformation.createRemoteUser(user).doAs(collect);
    return credentials;
  }
}
