package dev.sailfish.lineage.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.ground.wire.token.DelegationToken;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.PrivilegedExceptionAction;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.security.token.TokenIdentifier;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Delegation tokens as Hadoop carries them, with a store that has a secret and speaks TLS. */
@Timeout(120)
class StoreTokensTest {
  private static final byte[] HELLO = "hello".getBytes(StandardCharsets.US_ASCII);

  private static SecuredStore store;

  @BeforeAll
  static void start() throws IOException {
    store = SecuredStore.running();
  }

  /** What a user does whose process has these credentials, and no secret. */
  private static <T> T as(String user, Credentials credentials, Work<T> work) throws Exception {
    UserGroupInformation task = UserGroupInformation.createRemoteUser(user);
    task.addCredentials(credentials);
    PrivilegedExceptionAction<T> action =
        () -> {
          try (FileSystem fs = FileSystem.newInstance(store.uri(), store.configuration())) {
            return work.with(fs);
          }
        };
    return task.doAs(action);
  }

  private interface Work<T> {
    T with(FileSystem fs) throws Exception;
  }

  private static Void write(FileSystem fs, Path path) throws IOException {
    try (FSDataOutputStream out = fs.create(path)) {
      out.write(HELLO);
    }
    return null;
  }

  private static byte[] read(FileSystem fs, Path path) throws IOException {
    try (FSDataInputStream in = fs.open(path)) {
      return in.readAllBytes();
    }
  }

  @Test
  void aTaskNeedsNothingButTheToken() throws Exception {
    Credentials alice = store.tokensOf("alice");
    Path path = new Path("/tokens/alice");
    as("alice", alice, fs -> write(fs, path));
    byte[] content = as("alice", alice, fs -> read(fs, path));
    assertThat(content).isEqualTo(HELLO);
    String owner = as("alice", alice, fs -> fs.getFileStatus(path).getOwner());
    assertThat(owner).isEqualTo("alice");
    as(
        "alice",
        alice,
        fs -> {
          fs.setPermission(path, new FsPermission((short) 0600));
          return null;
        });
    Credentials bob = store.tokensOf("bob");
    assertThatThrownBy(() -> as("bob", bob, fs -> read(fs, path)))
        .isInstanceOf(AccessControlException.class);
  }

  @Test
  void aTokenThatIsThereIsNotAskedForAgain() throws Exception {
    Credentials credentials = new Credentials();
    try (FileSystem fs = FileSystem.newInstance(store.uri(), store.withSecret())) {
      assertThat(fs.getCanonicalServiceName()).isEqualTo(store.uri().getAuthority());
      assertThat(fs.addDelegationTokens("yarn", credentials)).hasSize(1);
      assertThat(fs.addDelegationTokens("yarn", credentials)).isEmpty();
    }
    FileContext context = FileContext.getFileContext(store.uri(), store.withSecret());
    List<Token<?>> tokens = context.getDelegationTokens(new Path("/"), "yarn");
    assertThat(tokens).hasSize(1);
  }

  @Test
  void hadoopReadsTheTokenAndRenewsNothing() throws Exception {
    Token<? extends TokenIdentifier> token =
        store.tokensOf("alice").getAllTokens().iterator().next();
    assertThat(token.getKind()).isEqualTo(StoreTokenIdentifier.KIND);
    assertThat(token.decodeIdentifier().getUser().getUserName()).isEqualTo("alice");
    assertThat(token.decodeIdentifier()).hasToString(token.decodeIdentifier().toString());
    assertThat(token.toString()).contains("owner=alice").doesNotContain("password");
    assertThat(token.isManaged()).isFalse();
    long expiresMs = DelegationToken.of(token.getIdentifier()).expiresMs();
    assertThat(token.renew(new Configuration())).isEqualTo(expiresMs);
    token.cancel(new Configuration());
  }

  @Test
  void whoHasNothingIsToldWhatToDo() {
    assertThatThrownBy(() -> as("alice", new Credentials(), fs -> read(fs, new Path("/x"))))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(LineageKey.SECRET_FILE.name())
        .hasMessageContaining("token of the store");
  }

  @Test
  void aTokenIsForItsOwner() throws Exception {
    Credentials alice = store.tokensOf("alice");
    assertThatThrownBy(() -> as("bob", alice, fs -> fs.getFileStatus(new Path("/"))))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("user='alice', by its token, and asks for user='bob'");
  }

  @Test
  void withoutTlsNobodyConnects() throws Exception {
    Configuration conf = store.withSecret();
    conf.set(LineageKey.TLS.name(), "none");
    try (FileSystem fs = FileSystem.newInstance(store.uri(), conf)) {
      assertThatThrownBy(() -> fs.getFileStatus(new Path("/"))).hasMessageContaining("TLS");
    }
  }

  @Test
  void withoutAuthenticationThereAreNoTokens() throws IOException {
    try (FileSystem fs = FileSystem.newInstance(SharedStore.uri(), SharedStore.configuration())) {
      assertThat(fs.getCanonicalServiceName()).isNull();
      assertThat(fs.getDelegationToken("yarn")).isNull();
    }
  }
}
