package dev.sailfish.lineage.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.ground.wire.token.DelegationKey;
import dev.sailfish.lineage.protocol.LineageService;
import dev.sailfish.lineage.protocol.wire.CreateDependency;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyType;
import dev.sailfish.lineage.protocol.wire.OutputState;
import dev.sailfish.lineage.protocol.wire.Refusal;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A user with a token writes a lost file again. */
@Timeout(180)
class UserRecomputeTest {
  private static final Set<String> HERE = Set.of("localhost");
  private static final byte[] CONTENT = new byte[TestStore.BLOCK + 12_345];

  @TempDir private Path directory;

  private OutputState state(StoreClient root, long fid) throws IOException {
    return root.lineage().of(fid).getOutputs(0).getState();
  }

  private void awaitState(StoreClient root, long fid, OutputState state) {
    await().atMost(Duration.ofSeconds(60)).until(() -> state(root, fid) == state);
  }

  private long record(StoreClient alice, String path) throws IOException {
    FileOutput out = alice.create(TestStore.file(path));
    try (out) {
      out.write(CONTENT);
    }
    Path jar = Files.write(directory.resolve("job.jar"), new byte[] {1, 2, 3});
    alice
        .lineage()
        .create(
            CreateDependency.newBuilder()
                .setType(DependencyType.DEPENDENCY_WIDE)
                .addPrograms(alice.lineage().upload(jar))
                .addOutputs(DependencyOutput.newBuilder().setFid(out.fid()))
                .build());
    return out.fid();
  }

  @Test
  void oneThatCannotBeOpenedIsNotHeld() throws IOException {
    Path file = directory.resolve("secret");
    ClusterSecret.create(file);
    byte[] secret = ClusterSecret.read("test", file);
    DelegationKey tokens = new DelegationKey(secret, LineageService.TOKENS, Duration.ofHours(1));
    byte[] token = tokens.issue("alice", "", "", System.currentTimeMillis()).identifier();
    Map<String, String> settings =
        Map.of("authentication", "secret", "cluster.secret.file", file.toString());
    try (TestStore store = new TestStore(directory, settings, Map.of())) {
      store.startWorker(1);
      StoreClient root = store.client(Credentials.ofCluster(secret), TestStore.ROOT, HERE);
      root.namespace().setMode("/", 0777);
      StoreClient alice =
          store.client(
              Credentials.ofToken(token, tokens.password(token)),
              StoreUser.newBuilder().setName("alice").build(),
              HERE);
      long fid = record(alice, "/out");
      root.namespace().setMode("/out", 0200); // where its blocks are, only readers are told
      store.stopWorker(1);
      store.startWorker(2);
      awaitState(root, fid, OutputState.OUTPUT_LOST);
      assertThatThrownBy(() -> alice.lineage().recompute(fid))
          .isInstanceOfSatisfying(
              StoreRefusedException.class,
              e -> assertThat(e.reason()).isEqualTo(Refusal.Reason.DENIED));
      awaitState(root, fid, OutputState.OUTPUT_INTERRUPTED);
      root.namespace().setMode("/out", 0600);
      try (FileOutput again = alice.lineage().recompute(fid)) {
        again.write(CONTENT);
      }
      assertThat(state(root, fid)).isEqualTo(OutputState.OUTPUT_STORED);
    }
  }
}
