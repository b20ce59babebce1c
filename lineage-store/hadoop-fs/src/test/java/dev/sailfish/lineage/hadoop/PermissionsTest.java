package dev.sailfish.lineage.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A file system asks for the user who made it. */
@Timeout(60)
class PermissionsTest {
  private static final Path DIRECTORY = new Path("/permissions-test");
  private static final Path OF_ALICE = new Path(DIRECTORY, "alice");
  private static final Path FILE = new Path(OF_ALICE, "f");

  private FileSystem superuser;
  private FileSystem alice;
  private FileSystem bob;
  private FileSystem carol;

  @BeforeEach
  void open() throws Exception {
    superuser = FileSystem.newInstance(SharedStore.uri(), SharedStore.configuration());
    superuser.mkdirs(OF_ALICE);
    superuser.setOwner(OF_ALICE, "alice", "staff");
    alice = as("alice", "staff");
    bob = as("bob", "guests");
    carol = as("carol", "staff", "guests");
  }

  private static FileSystem as(String user, String... groups) throws Exception {
    return UserGroupInformation.createUserForTesting(user, groups)
        .doAs(
            (PrivilegedExceptionAction<FileSystem>)
                () -> FileSystem.newInstance(SharedStore.uri(), SharedStore.configuration()));
  }

  @AfterEach
  void close() throws IOException {
    superuser.delete(DIRECTORY, true);
    for (FileSystem one : new FileSystem[] {superuser, alice, bob, carol}) {
      one.close();
    }
  }

  private void create(int mode) throws IOException {
    alice.create(FILE).close();
    alice.setPermission(FILE, new FsPermission((short) mode));
  }

  private static void assertDenied(PrivilegedExceptionAction<?> what) {
    assertThatThrownBy(what::run).isInstanceOf(AccessControlException.class);
  }

  @Test
  void whatIsCreatedIsTheUsers() throws IOException {
    create(0640);
    FileStatus status = bob.getFileStatus(FILE);
    assertThat(status.getOwner()).isEqualTo("alice");
    assertThat(status.getGroup()).isEqualTo("staff");
    assertThat(status.getPermission().toShort()).isEqualTo((short) 0640);
    assertThat(alice.getHomeDirectory().toUri().getPath()).isEqualTo("/user/alice");
  }

  @Test
  void theUmaskIsThatOfTheConfiguration() throws IOException {
    alice.getConf().set("fs.permissions.umask-mode", "027");
    alice.mkdirs(new Path(OF_ALICE, "a/b"), new FsPermission((short) 0777));
    alice.create(new Path(OF_ALICE, "c/f")).close();
    assertThat(mode("a")).isEqualTo(0750);
    assertThat(mode("a/b")).isEqualTo(0750);
    assertThat(mode("c")).isEqualTo(0750);
    assertThat(mode("c/f")).isEqualTo(0640);
  }

  private int mode(String name) throws IOException {
    return alice.getFileStatus(new Path(OF_ALICE, name)).getPermission().toShort();
  }

  @Test
  void othersMayWhatThePermissionsSay() throws IOException {
    create(0640);
    try (FSDataInputStream in = carol.open(FILE)) {
      assertThat(in.read()).isEqualTo(-1);
    }
    carol.access(FILE, FsAction.READ);
    assertDenied(() -> bob.open(FILE));
    assertDenied(() -> run(() -> bob.access(FILE, FsAction.READ)));
    assertDenied(() -> run(() -> carol.access(FILE, FsAction.WRITE)));
    assertDenied(() -> run(() -> alice.access(FILE, FsAction.EXECUTE)));
    alice.access(FILE, FsAction.READ_WRITE);
    assertDenied(() -> bob.create(new Path(OF_ALICE, "g")));
    assertDenied(() -> bob.mkdirs(new Path(OF_ALICE, "d")));
    assertDenied(() -> bob.delete(FILE, false));
    assertDenied(() -> bob.rename(FILE, new Path(OF_ALICE, "g")));
    assertDenied(() -> run(() -> bob.setPermission(FILE, new FsPermission((short) 0666))));
    assertDenied(() -> run(() -> bob.setTimes(FILE, 1, -1)));
    alice.setPermission(OF_ALICE, new FsPermission((short) 0700));
    assertDenied(() -> bob.getFileStatus(FILE));
    assertDenied(() -> bob.exists(FILE));
    assertDenied(() -> carol.listStatus(OF_ALICE));
    assertDenied(() -> carol.listStatusIterator(OF_ALICE));
  }

  /** Something that returns nothing. */
  @FunctionalInterface
  private interface Action {
    void run() throws Exception;
  }

  private static Void run(Action action) throws Exception {
    action.run();
    return null;
  }

  @Test
  void onlyTheSuperuserGivesFilesAway() throws Exception {
    create(0600);
    assertDenied(() -> run(() -> alice.setOwner(FILE, "bob", null)));
    assertDenied(() -> run(() -> alice.setOwner(FILE, null, "guests")));
    alice.setOwner(FILE, null, "staff");
    superuser.access(FILE, FsAction.ALL);
    superuser.setOwner(FILE, "bob", null);
    assertThat(bob.getFileStatus(FILE).getOwner()).isEqualTo("bob");
    assertThat(bob.getFileStatus(FILE).getGroup()).isEqualTo("staff");
    bob.open(FILE).close();
    assertDenied(() -> alice.open(FILE));
  }

  @Test
  void inAStickyDirectoryEachRemovesItsOwn() throws IOException {
    alice.setPermission(OF_ALICE, new FsPermission((short) 01777));
    assertThat(alice.getFileStatus(OF_ALICE).getPermission().getStickyBit()).isTrue();
    bob.create(FILE).close();
    assertDenied(() -> carol.delete(FILE, false));
    assertThat(bob.delete(FILE, false)).isTrue();
  }
}
