package dev.sailfish.lineage.master.under;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.lineage.master.namespace.Namespace;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import dev.sailfish.lineage.master.under.UnderGate.Asked;
import dev.sailfish.lineage.protocol.wire.Refusal;
import dev.sailfish.lineage.protocol.wire.StatResponse;
import dev.sailfish.lineage.understore.mount.Mount;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How requests are answered for which something is done below first. */
@Timeout(60)
class UnderGateTest {
  private final Namespace namespace = Namespace.empty();
  private final CompletableFuture<Status> failed = new CompletableFuture<>();

  private final JournaledTree tree =
      new JournaledTree() {
        @Override
        public <T> T look(Question<T> question) throws NamespaceException {
          return question.of(namespace);
        }

        @Override
        public CompletableFuture<byte[]> submit(byte[] entry) {
          return CompletableFuture.failedFuture(new AssertionError("nothing is to be journaled"));
        }
      };

  /** A request that may only fail. */
  private Request request() {
    return (Request)
        Proxy.newProxyInstance(
            Request.class.getClassLoader(),
            new Class<?>[] {Request.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("fail")) {
                failed.complete((Status) arguments[0]);
              } else {
                failed.completeExceptionally(
                    new AssertionError(method + " " + Arrays.toString(arguments)));
              }
              return null;
            });
  }

  private static StatResponse refused(Refusal why) {
    return StatResponse.newBuilder().setRefusal(why).build();
  }

  @Test
  void aCallerOfOneThatLeadsNoMoreIsToAskTheOthers() throws Exception {
    Mount mount = Mount.parse("/m file:///below");
    try (UnderGate gate = new UnderGate(tree, Network.SOCKETS)) {
      gate.onThreads(
          mount,
          new Asked(request(), "root", UnderGateTest::refused),
          () -> {
            throw new RequestRefusedException(Status.NOT_LEADER, "another one leads");
          },
          () -> {
            throw new IOException("it is not known what is there");
          });
      assertThat(failed.get(30, TimeUnit.SECONDS)).isEqualTo(Status.NOT_LEADER);
    }
  }
}
