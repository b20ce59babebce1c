package dev.sailfish.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import com.google.protobuf.ByteString;
import dev.sailfish.ground.wire.Evidence;
import dev.sailfish.ground.wire.message.Introduction;
import dev.sailfish.ground.wire.message.TokenEvidence;
import dev.sailfish.ground.wire.token.DelegationKey;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.ServiceLoader;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.security.token.TokenIdentifier;
import org.apache.hadoop.security.token.TokenRenewer;
import org.junit.jupiter.api.Test;

/** How Hadoop sees delegation tokens of the metaserver, as far as that needs no Kerberos. */
class DelegationTokensTest {
  private static final Duration LIFETIME = Duration.ofDays(7);
  private static final byte[] SECRET = "a secret of a cluster".getBytes(StandardCharsets.US_ASCII);
  private static final String JOB = "job_1_0001";
  private static final byte[] TASK_KEY = new byte[32];

  private final DelegationKey key = new DelegationKey(SECRET, LIFETIME);
  private final long now = System.currentTimeMillis();

  private Token<?> token(String owner, String realUser, String service, long issuedMs) {
    byte[] identifier = key.issue(owner, "rm/host@R", realUser, issuedMs).identifier();
    return new Token<>(
        identifier, key.password(identifier), SailfishTokenIdentifier.KIND, new Text(service));
  }

  private static Credentials holding(Token<?>... tokens) {
    Credentials credentials = new Credentials();
    for (Token<?> token : tokens) {
      credentials.addToken(token.getService(), token);
    }
    return credentials;
  }

  private String ownerShownTo(Evidence evidence) throws IOException {
    Introduction.Builder introduction =
        Introduction.newBuilder().setTaskKey(ByteString.copyFrom(TASK_KEY));
    evidence.addTo(JOB, introduction);
    TokenEvidence token = TokenEvidence.parseFrom(introduction.getToken());
    return key.check(
            token.getIdentifier().toByteArray(), token.getMac().toByteArray(), JOB, TASK_KEY, now)
        .owner();
  }

  @Test
  void hadoopShouldFindTheRenewerAndLoadNothingElseByItself() {
    assertThat(ServiceLoader.load(TokenRenewer.class))
        .hasAtLeastOneElementOfType(SailfishTokenRenewer.class);
    assertThat(ServiceLoader.load(FileSystem.class)).noneMatch(TokenFileSystem.class::isInstance);
    assertThat(ServiceLoader.load(TokenIdentifier.class))
        .noneMatch(SailfishTokenIdentifier.class::isInstance);
  }

  @Test
  void aTokenShouldShowWhoseItIsAndNotItsPassword() throws IOException {
    Token<?> token = token("bob", "oozie", "host:19850", now);
    SailfishTokenIdentifier identifier = SailfishTokenIdentifier.of(token);
    assertThat(identifier.getUser().getShortUserName()).isEqualTo("bob");
    assertThat(identifier.getUser().getRealUser().getShortUserName()).isEqualTo("oozie");
    assertThat(identifier.getBytes()).isEqualTo(token.getIdentifier());
    assertThat(identifier.toString()).contains("owner=bob", "realUser=oozie", "renewer=rm/host@R");
    assertThat(
            SailfishTokenIdentifier.of(token("alice", "", "host:1", now)).getUser().getRealUser())
        .isNull();
  }

  @Test
  void nobodyShouldHaveToRenewATokenOrToCancelIt() throws Exception {
    Token<?> token = token("alice", "", "host:19850", now);
    Configuration conf = new Configuration(false);
    assertThat(token.isManaged()).isFalse();
    assertThat(token.renew(conf)).isEqualTo(now + LIFETIME.toMillis());
    token.cancel(conf);
    assertThat(token.renew(conf)).isEqualTo(now + LIFETIME.toMillis());
    Token<?> old = token("alice", "", "host:19850", now - LIFETIME.toMillis() - 1);
    assertThatIOException().isThrownBy(() -> old.renew(conf)).withMessageContaining("expired");
  }

  @Test
  void aTaskShouldBringTheTokenOfItsMetaserver() throws IOException {
    Credentials credentials =
        holding(
            token("carol", "", "elsewhere:19850", now),
            token("alice", "", "HOST2:19850", now),
            new Token<>(new byte[1], new byte[1], new Text("OTHER"), new Text("host1:19850")));
    List<InetSocketAddress> metaservers =
        List.of(
            InetSocketAddress.createUnresolved("host1", 19850),
            InetSocketAddress.createUnresolved("host2", 19850));
    assertThat(ownerShownTo(JobToken.of(credentials, metaservers))).isEqualTo("alice");
    List<InetSocketAddress> otherwise =
        List.of(InetSocketAddress.createUnresolved("127.0.0.1", 19850));
    Credentials one = holding(token("alice", "", "localhost:19850", now));
    assertThat(ownerShownTo(JobToken.of(one, otherwise))).isEqualTo("alice");
    assertThat(JobToken.of(new Credentials(), metaservers)).isNull();
  }

  private static Configuration named() {
    Configuration conf = new Configuration(false);
    conf.setClass("fs.sailfish.impl", TokenFileSystem.class, FileSystem.class);
    return conf;
  }

  @Test
  void theFileSystemShouldHoldNoFiles() throws IOException {
    Configuration conf = named();
    try (FileSystem system = FileSystem.newInstance(URI.create("sailfish://host"), conf)) {
      assertThat(system.getUri()).isEqualTo(URI.create("sailfish://host:19850"));
      assertThat(system.getWorkingDirectory()).isEqualTo(new Path("sailfish://host:19850/"));
      Path path = new Path("sailfish://host:19850/a");
      assertThatIOException().isThrownBy(() -> system.open(path)).withMessageContaining("no files");
      assertThatIOException().isThrownBy(() -> system.create(path));
      assertThatIOException().isThrownBy(() -> system.listStatus(path));
      assertThatIOException().isThrownBy(() -> system.mkdirs(path));
      assertThatIOException().isThrownBy(() -> system.delete(path, true));
      assertThatIOException().isThrownBy(() -> system.exists(path));
    }
    assertThatIOException()
        .isThrownBy(() -> FileSystem.newInstance(URI.create("sailfish:///"), conf))
        .withMessageContaining("names no metaserver");
  }

  @Test
  void withoutKerberosThereShouldBeNoToken() throws IOException {
    Configuration conf = named();
    try (FileSystem system = FileSystem.newInstance(URI.create("sailfish://host:1"), conf)) {
      Credentials credentials = new Credentials();
      assertThat(system.getCanonicalServiceName()).isNull();
      assertThat(system.getDelegationToken("rm")).isNull();
      assertThat(system.addDelegationTokens("rm", credentials)).isEmpty();
      assertThat(credentials.numberOfTokens()).isZero();
    }
  }
}
