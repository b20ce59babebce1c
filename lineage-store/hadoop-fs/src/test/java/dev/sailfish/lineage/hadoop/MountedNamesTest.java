package dev.sailfish.lineage.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.client.StoreRefusedException;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.Refusal.Reason;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/** Names under a mount of a local directory that is looked at each time. */
class MountedNamesTest {
  @TempDir Path below;

  private StoreClient client;
  private String root;

  @BeforeEach
  void mount(TestInfo test) throws IOException {
    client = SharedStore.client();
    root = "/mounted-" + test.getTestMethod().orElseThrow().getName();
    client.mounts().add(root + " " + below.toUri() + " sync=0s");
  }

  @AfterEach
  void unmount() throws IOException {
    client.mounts().remove(root, true);
    client.close();
  }

  private List<String> names(String path) throws IOException {
    List<String> names = new ArrayList<>();
    client.namespace().list(path, entry -> names.add(entry.getName()));
    return names;
  }

  private static void assertRefused(Reason reason, Call call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            StoreRefusedException.class, refused -> assertThat(refused.reason()).isEqualTo(reason));
  }

  private interface Call {
    void run() throws IOException;
  }

  @Test
  void seesWhatIsBelow() throws IOException {
    Files.createDirectories(below.resolve("a/b"));
    Files.writeString(below.resolve("a/b/file"), "content");
    FileEntry file = client.namespace().stat(root + "/a/b/file");
    assertThat(file.getLength()).isEqualTo(7);
    assertThat(file.getComplete()).isTrue();
    assertThat(file.getBelow()).isTrue();
    assertThat(client.namespace().stat(root + "/a").getDirectory()).isTrue();
    Files.writeString(below.resolve("a/other"), "");
    assertThat(names(root + "/a")).containsExactly("b", "other");
    assertRefused(Reason.NOT_FOUND, () -> client.namespace().stat(root + "/a/none"));
  }

  @Test
  void seesWhatChangesBelow() throws IOException {
    Path file = below.resolve("file");
    Files.writeString(file, "one");
    FileEntry one = client.namespace().stat(root + "/file");
    assertThat(client.namespace().stat(root + "/file")).isEqualTo(one);
    Path other = below.resolve("other");
    Files.writeString(other, "two");
    Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
    FileEntry two = client.namespace().stat(root + "/file");
    assertThat(two.getFid()).isNotEqualTo(one.getFid());
    Files.delete(file);
    assertRefused(Reason.NOT_FOUND, () -> client.namespace().stat(root + "/file"));
    Files.createDirectories(file.resolve("below"));
    assertThat(names(root)).containsExactly("file");
    assertThat(names(root + "/file")).containsExactly("below");
    Files.delete(file.resolve("below"));
    Files.delete(file);
    assertThat(names(root)).isEmpty();
  }

  @Test
  void deletesBelow() throws IOException {
    Files.createDirectories(below.resolve("a/b"));
    Files.writeString(below.resolve("a/b/file"), "content");
    Files.writeString(below.resolve("a/b/other"), "content");
    client.namespace().delete(root + "/a/b/other", false);
    assertThat(below.resolve("a/b/other")).doesNotExist();
    assertRefused(Reason.NOT_EMPTY, () -> client.namespace().delete(root + "/a", false));
    assertThat(below.resolve("a/b/file")).exists();
    client.namespace().delete(root + "/a", true);
    assertThat(below.resolve("a")).doesNotExist();
    assertRefused(Reason.NOT_FOUND, () -> client.namespace().delete(root + "/a", true));
    assertRefused(Reason.INVALID, () -> client.namespace().delete(root, true));
  }

  /** Below all is done by the process's user, who may do everything there. */
  @Test
  void deletesNoTreeBelowThatItsCallerMayNotEmpty() throws IOException {
    Path project = Files.createDirectories(below.resolve("project"));
    Path deep = Files.createDirectories(project.resolve("shared/a/closed"));
    Path open = Files.createDirectories(project.resolve("open/a"));
    Path file = Files.writeString(deep.resolve("file"), "content");
    Files.writeString(open.resolve("file"), "content");
    for (Path shared :
        List.of(project, deep.getParent(), deep.getParent().getParent(), open, open.getParent())) {
      Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwxrwx"));
    }
    Files.setPosixFilePermissions(deep, PosixFilePermissions.fromString("rwxr-xr-x"));
    StoreUser anyone = StoreUser.newBuilder().setName("anyone").build();
    try (StoreClient other = SharedStore.client(anyone)) {
      String path = root + "/project/shared";
      assertRefused(Reason.DENIED, () -> other.namespace().delete(path, true));
      assertThat(file).exists();
      other.namespace().delete(root + "/project/open", true);
      assertThat(open.getParent()).doesNotExist();
    }
    client.namespace().delete(root + "/project/shared", true);
    assertThat(file).doesNotExist();
  }

  @Test
  void renamesBelow() throws IOException {
    Files.createDirectories(below.resolve("a"));
    Files.writeString(below.resolve("a/file"), "content");
    Files.writeString(below.resolve("target"), "older");
    FileEntry file = client.namespace().stat(root + "/a/file");
    assertRefused(
        Reason.EXISTS, () -> client.namespace().rename(root + "/a/file", root + "/target", false));
    client.namespace().rename(root + "/a/file", root + "/target", true);
    assertThat(below.resolve("target")).hasContent("content");
    assertThat(client.namespace().stat(root + "/target").getFid()).isEqualTo(file.getFid());
    Files.writeString(below.resolve("a/unseen"), "unseen");
    client.namespace().rename(root + "/a", root + "/b", false);
    assertThat(below.resolve("b/unseen")).hasContent("unseen");
    assertThat(names(root)).containsExactly("b", "target");
    assertThat(names(root + "/b")).containsExactly("unseen");
    assertRefused(
        Reason.INVALID, () -> client.namespace().rename(root + "/b", "/elsewhere", false));
    assertRefused(Reason.INVALID, () -> client.namespace().rename(root, "/elsewhere", false));
  }

  @Test
  void refusesWhatCannotBeMounted() {
    String inside = root + "/inside " + below.resolve("inside").toUri();
    assertRefused(Reason.INVALID, () -> client.mounts().add(inside));
    assertRefused(Reason.INVALID, () -> client.mounts().add("/x no-uri"));
    assertRefused(
        Reason.NOT_FOUND,
        () -> client.mounts().add("/x " + "file:///no/such/directory read.only=true"));
    assertRefused(Reason.NOT_FOUND, () -> client.mounts().remove("/x", false));
    StoreUser anyone = StoreUser.newBuilder().setName("anyone").build();
    try (StoreClient other = SharedStore.client(anyone)) {
      assertRefused(Reason.DENIED, () -> other.mounts().add("/y " + below.resolve("y").toUri()));
      assertRefused(Reason.DENIED, () -> other.mounts().remove(root, false));
    }
  }

  @Test
  void takesAMountAwayAndLeavesWhatIsBelow() throws IOException {
    Files.writeString(below.resolve("file"), "content");
    assertThat(names(root)).containsExactly("file");
    client.mounts().remove(root, false);
    assertThat(names(root)).isEmpty();
    assertThat(below.resolve("file")).exists();
    client.mounts().add(root + " " + below.toUri() + " sync=0s");
    assertThat(names(root)).containsExactly("file");
  }

  @Test
  void aMountStaysWhenADirectoryAboveItIsGone(@TempDir Path other) throws IOException {
    Path way = Files.createDirectories(below.resolve("a/way"));
    Files.writeString(below.resolve("a/file"), "content");
    Files.writeString(other.resolve("inner"), "content");
    String inner = root + "/a/way/mount";
    client.mounts().add(inner + " " + other.toUri() + " sync=0s");
    assertThat(names(root + "/a")).containsExactly("file", "way");
    assertThat(names(root + "/a/way")).containsExactly("mount");
    FileEntry file = client.namespace().stat(inner + "/inner");
    Files.delete(way);
    Files.delete(below.resolve("a/file"));
    Files.delete(below.resolve("a"));
    assertThat(names(root)).containsExactly("a");
    assertThat(names(root + "/a")).containsExactly("way");
    Files.writeString(below.resolve("a"), "a file now");
    assertThat(names(root)).containsExactly("a");
    assertThat(client.namespace().stat(inner + "/inner")).isEqualTo(file);
    assertThat(names(inner)).containsExactly("inner");
    client.mounts().remove(inner, false);
  }

  @Test
  void looksAgainAfterTheTimeOfTheMount() throws IOException {
    client.mounts().remove(root, true);
    client.mounts().add(root + " " + below.toUri() + " sync=1h");
    assertThat(names(root)).isEmpty();
    Files.writeString(below.resolve("file"), "content");
    assertRefused(Reason.NOT_FOUND, () -> client.namespace().stat(root + "/file"));
    client.mounts().remove(root, true);
    client.mounts().add(root + " " + below.toUri() + " sync=1ms");
    assertThat(client.namespace().stat(root + "/file").getLength()).isEqualTo(7);
  }
}
