package dev.sailfish.lineage.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options.CreateOpts;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How stores are named, and what the configuration has to say. */
@Timeout(60)
class AuthorityTest {
  @TempDir private java.nio.file.Path local;

  private final Configuration conf = SharedStore.configuration();
  private final String address = SharedStore.uri().getAuthority();

  @BeforeEach
  void name() {
    conf.set("sailfish.lineage.client.masters", address);
    conf.set("sailfish.lineage.client.masters.here", address);
    // Nobody listens there: the leader is found all the same.
    conf.set("sailfish.lineage.client.masters.three", "127.0.0.1:1," + address + ",127.0.0.1:2");
  }

  @Test
  void aStoreHasManyNames() throws IOException {
    String[] roots = {
      "lineage:///", "lineage://here/", "lineage://three/", "lineage://" + address + "/"
    };
    for (String root : roots) {
      // Else what has no authority has that of the default.
      conf.set("fs.defaultFS", root);
      try (FileSystem fs = FileSystem.newInstance(URI.create(root), conf)) {
        Path path = new Path(root + "authority-test/f");
        fs.create(path).close();
        FileStatus status = fs.getFileStatus(path);
        assertThat(status.getPath()).isEqualTo(path);
        assertThat(fs.listStatus(path.getParent())[0].getPath()).isEqualTo(path);
        assertThat(fs.makeQualified(new Path("/authority-test/f"))).isEqualTo(path);
        assertThat(fs.getCanonicalServiceName()).isNull();
        String user = UserGroupInformation.getCurrentUser().getShortUserName();
        assertThat(fs.getHomeDirectory()).isEqualTo(new Path(root + "user/" + user));
        fs.delete(path.getParent(), true);
      }
      assertContextWorks(root);
    }
  }

  private void assertContextWorks(String root) throws IOException {
    FileContext context = FileContext.getFileContext(URI.create(root), conf);
    Path path = new Path(root + "context-test/f");
    context.create(path, EnumSet.of(CreateFlag.CREATE), CreateOpts.createParent()).close();
    assertThat(context.getFileStatus(path).getPath()).isEqualTo(path);
    assertThat(context.listStatus(path.getParent()).next().getPath()).isEqualTo(path);
    context.delete(path.getParent(), true);
  }

  @Test
  void theDefaultPortMayBeLeftOut() throws IOException {
    try (FileSystem fs = FileSystem.newInstance(URI.create("lineage://a/"), conf)) {
      Path whole = new Path("lineage://a:19868/f");
      assertThat(fs.makeQualified(whole)).isEqualTo(whole);
      assertThatThrownBy(() -> fs.makeQualified(new Path("lineage://a:5/f")))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> fs.makeQualified(new Path("lineage://here/f")))
          .isInstanceOf(IllegalArgumentException.class);
    }
    StoreSettings settings = new StoreSettings(conf);
    assertThat(settings.masters("[::1]").toString()).isEqualTo("[[::1]:19868]");
    assertThat(settings.masters("[::1]:7").toString()).isEqualTo("[[::1]:7]");
    assertThat(settings.masters("three")).hasSize(3);
    assertThat(settings.canonical("three")).isEqualTo("three");
  }

  @Test
  void anAuthorityIsOneMaster() {
    assertThatThrownBy(() -> FileSystem.newInstance(URI.create("lineage://a:1,b:2/"), conf))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("'a:1,b:2' is not host:port")
        .hasMessageContaining("set sailfish.lineage.client.masters.a:1,b:2 to the addresses");
  }

  @Test
  void wrongSettingsAreNamed() {
    assertRefused("block.size", "7", "sailfish.lineage.client.block.size=7 must be a size");
    assertRefused("buffer.size", "100k", "must be a multiple of 65536 bytes");
    assertRefused("masters", "here", "must be host:port");
    assertRefused("masters.three", "here", "'here' is not host:port");
    assertRefused("authentication", "secret", "or sailfish.lineage.client.cluster.secret.file");
  }

  private void assertRefused(String key, String value, String why) {
    Configuration wrong = new Configuration(conf);
    wrong.set("sailfish.lineage.client." + key, value);
    assertThatThrownBy(() -> FileSystem.newInstance(URI.create("lineage://three/"), wrong))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(why);
  }

  @Test
  void readsTheSecret() throws IOException {
    java.nio.file.Path file = local.resolve("secret");
    Files.writeString(file, "0123456789abcdef0123456789abcdef");
    conf.set("sailfish.lineage.client.authentication", "secret");
    conf.set("sailfish.lineage.client.cluster.secret.file", file.toString());
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    assertThatThrownBy(() -> FileSystem.newInstance(SharedStore.uri(), conf))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("chmod 600");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    FileSystem.newInstance(SharedStore.uri(), conf).close();
  }
}
