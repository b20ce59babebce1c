package dev.sailfish.lineage.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.lineage.client.StoreClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.PrivilegedExceptionAction;
import java.util.Random;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What users with nothing but a token write and read below. */
@Timeout(120)
class MountedUsersTest {
  private static final int LENGTH = 3_000_000;

  @TempDir private java.nio.file.Path directory;

  private static <T> T as(String user, PrivilegedExceptionAction<T> work) throws Exception {
    UserGroupInformation task = UserGroupInformation.createRemoteUser(user);
    Credentials credentials = SecuredStore.running().tokensOf(user);
    task.addCredentials(credentials);
    return task.doAs(work);
  }

  private static FileSystem open() throws IOException {
    SecuredStore store = SecuredStore.running();
    return FileSystem.newInstance(store.uri(), store.configuration());
  }

  /** One whose process has no token, which would come before the secret. */
  private static StoreClient root() throws Exception {
    SecuredStore store = SecuredStore.running();
    UserGroupInformation operator = UserGroupInformation.createRemoteUser("operator");
    PrivilegedExceptionAction<StoreClient> client =
        () ->
            new StoreClient(
                new StoreSettings(store.withSecret()).client(store.uri().getAuthority(), operator));
    return operator.doAs(client);
  }

  private static Void write(Path path, byte[] content) throws IOException {
    try (FileSystem fs = open();
        FSDataOutputStream out = fs.create(path)) {
      out.write(content);
      fs.setPermission(path, new FsPermission((short) 0600));
    }
    return null;
  }

  private static byte[] read(Path path) throws IOException {
    try (FileSystem fs = open();
        FSDataInputStream in = fs.open(path)) {
      return in.readAllBytes();
    }
  }

  @ParameterizedTest
  @CsvSource({"through,mixed", "through,direct", "bypass,mixed", "bypass,direct"})
  void aTokenIsGoodForWhatIsBelow(String write, String read) throws Exception {
    String name = write + "-" + read;
    java.nio.file.Path below = Files.createDirectory(directory.resolve(name));
    Files.setPosixFilePermissions(below, PosixFilePermissions.fromString("rwxrwxrwx"));
    byte[] content = new byte[LENGTH];
    new Random(LENGTH).nextBytes(content);
    Path path = new Path("/" + name + "/file");
    try (StoreClient root = root()) {
      root.mounts()
          .add(
              "/%s %s sync=0s buffer=256k write=%s read=%s"
                  .formatted(name, below.toUri(), write, read));
      root.namespace().setMode("/" + name, 0777);
      as("alice", () -> write(path, content));
      assertThat(Files.readAllBytes(below.resolve("file"))).isEqualTo(content);
      byte[] found = as("alice", () -> read(path));
      assertThat(found).isEqualTo(content);
      root.mounts().free("/" + name);
      found = as("alice", () -> read(path));
      assertThat(found).isEqualTo(content);
      assertThatThrownBy(() -> as("bob", () -> read(path)))
          .isInstanceOf(AccessControlException.class);
    }
  }

  private static Void mount(String mount) throws IOException {
    SecuredStore store = SecuredStore.running();
    StoreSettings settings = new StoreSettings(store.configuration());
    UserGroupInformation user = UserGroupInformation.getCurrentUser();
    try (StoreClient client = new StoreClient(settings.client(store.uri().getAuthority(), user))) {
      client.mounts().add(mount);
    }
    return null;
  }

  @Test
  void aUserMountsNothing() throws Exception {
    String mount = "/mine " + directory.toUri();
    assertThatThrownBy(() -> as("alice", () -> mount(mount))).hasMessageContaining("alice");
  }
}
