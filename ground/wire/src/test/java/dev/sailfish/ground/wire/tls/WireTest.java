package dev.sailfish.ground.wire.tls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.Wire;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestAuthority;
import dev.sailfish.testkit.TestBytes;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every wire promises, of the plain one and of TLS, against blocking sockets of the JDK. */
@Seeded
@Timeout(60)
class WireTest {
  private static final long WAIT_MS = 10_000;
  private static final long SHORT_MS = 50;
  private static final Executor THREADS = work -> new Thread(work, "peer").start();

  @TempDir static Path directory;
  private static Network encrypted;
  private static TlsContext server;

  /** The two kinds of wires. */
  enum Kind {
    PLAIN {
      @Override
      Network network() {
        return Network.SOCKETS;
      }

      @Override
      ServerSocket listen() throws IOException {
        return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
      }
    },
    TLS {
      @Override
      Network network() {
        return encrypted;
      }

      @Override
      ServerSocket listen() throws IOException {
        return server
            .context()
            .getServerSocketFactory()
            .createServerSocket(0, 1, InetAddress.getLoopbackAddress());
      }
    };

    abstract Network network();

    abstract ServerSocket listen() throws IOException;
  }

  @BeforeAll
  static void makeKeys() throws IOException {
    TestAuthority authority = TestAuthority.create(directory);
    Path serverFile = authority.serverFile(authority.issue("server"), false);
    server = TlsContext.ofServer("test", SslFile.read("test", serverFile));
    encrypted = TlsNetwork.open("test", SslFile.read("test", authority.clientFile()));
  }

  /** A connected wire and the other end of it. */
  private record Link(ServerSocket listener, Wire wire, Socket peer) implements AutoCloseable {
    static Link open(Kind kind) throws Exception {
      ServerSocket listener = kind.listen();
      CompletableFuture<Socket> accepted =
          CompletableFuture.supplyAsync(() -> accept(listener), THREADS);
      Wire wire =
          kind.network()
              .open(
                  new InetSocketAddress(InetAddress.getLoopbackAddress(), listener.getLocalPort()));
      while (!wire.connect()) {
        wire.await(Wire.CONNECT, WAIT_MS);
      }
      return new Link(listener, wire, accepted.get(WAIT_MS, TimeUnit.MILLISECONDS));
    }

    private static Socket accept(ServerSocket listener) {
      try {
        Socket socket = listener.accept();
        if (socket instanceof SSLSocket tls) {
          tls.startHandshake();
        }
        return socket;
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }

    CompletableFuture<byte[]> receive(int length) {
      return CompletableFuture.supplyAsync(
          () -> {
            try {
              return peer.getInputStream().readNBytes(length);
            } catch (IOException e) {
              throw new IllegalStateException(e);
            }
          },
          THREADS);
    }

    CompletableFuture<Void> send(byte[] bytes) {
      return CompletableFuture.runAsync(
          () -> {
            try {
              peer.getOutputStream().write(bytes);
              peer.getOutputStream().flush();
            } catch (IOException e) {
              throw new IllegalStateException(e);
            }
          },
          THREADS);
    }

    @Override
    public void close() throws IOException {
      wire.close();
      peer.close();
      listener.close();
    }
  }

  private static <T> T soon(CompletableFuture<T> future) throws Exception {
    return future.get(WAIT_MS, TimeUnit.MILLISECONDS);
  }

  private static byte[] read(Wire wire, int length, int step) throws IOException {
    ByteBuffer all = ByteBuffer.allocate(length);
    while (all.hasRemaining()) {
      ByteBuffer some = all.slice(all.position(), Math.min(step, all.remaining()));
      int count = wire.read(some);
      assertThat(count).isNotNegative();
      assertThat(some.position()).isEqualTo(count);
      all.position(all.position() + count);
      if (count == 0) {
        wire.await(Wire.READ, WAIT_MS);
      }
    }
    return all.array();
  }

  @ParameterizedTest
  @EnumSource
  void bytesShouldGoBothWaysAndTheEndBeTold(Kind kind) throws Exception {
    try (Link link = Link.open(kind)) {
      ByteBuffer in = ByteBuffer.allocate(8);
      assertThat(link.wire.read(in)).as("bytes before any were sent").isZero();
      ByteBuffer out = ByteBuffer.wrap(new byte[] {1, 2});
      assertThat(link.wire.write(out)).isEqualTo(2);
      assertThat(out.hasRemaining()).isFalse();
      assertThat(soon(link.receive(2))).containsExactly(1, 2);
      soon(link.send(new byte[] {3}));
      assertThat(read(link.wire, 1, 1)).containsExactly(3);
      link.peer.close();
      assertThat(awaitEnd(link.wire)).isEqualTo(-1);
      assertThat(link.wire.isOpen()).isTrue();
      link.wire.close();
      assertThat(link.wire.isOpen()).isFalse();
    }
  }

  private static int awaitEnd(Wire wire) throws IOException {
    ByteBuffer in = ByteBuffer.allocate(8);
    int count = wire.read(in);
    for (int i = 0; count == 0 && i < 100; i++) {
      wire.await(Wire.READ, WAIT_MS);
      count = wire.read(in);
    }
    return count;
  }

  @ParameterizedTest
  @EnumSource
  void allThatIsWrittenShouldArriveWhenThePeerReadsLate(Kind kind, SplittableRandom random)
      throws Exception {
    byte[] bytes = TestBytes.random(random, 24 << 20);
    try (Link link = Link.open(kind)) {
      ByteBuffer out = ByteBuffer.wrap(bytes);
      // The kernel moves what it has from one end to the other, so it is full a little later.
      for (int idle = 0; idle < 3; ) {
        boolean moved = link.wire.write(out) > 0;
        assertThat(out.hasRemaining()).as("the wire gets full, nobody reads").isTrue();
        idle = moved ? 0 : idle + 1;
        if (!moved) {
          long before = System.nanoTime();
          link.wire.await(Wire.WRITE, SHORT_MS);
          long waitedNs = System.nanoTime() - before;
          assertThat(waitedNs).isLessThan(TimeUnit.MILLISECONDS.toNanos(WAIT_MS));
        }
      }
      CompletableFuture<byte[]> received = link.receive(bytes.length);
      while (out.hasRemaining()) {
        if (link.wire.write(out) == 0) {
          link.wire.await(Wire.WRITE, WAIT_MS);
        }
      }
      flush(link.wire);
      assertThat(Arrays.equals(soon(received), bytes)).isTrue();
    }
  }

  /** A wire may hold back what it has taken. */
  private static void flush(Wire wire) throws IOException {
    while (!wire.flush()) {
      wire.await(Wire.WRITE, WAIT_MS);
    }
  }

  /** What was held back goes with the next reads too, so that nobody waits for each other. */
  @ParameterizedTest
  @EnumSource
  void whatWasHeldBackShouldGoWhileTheAnswerIsAwaited(Kind kind, SplittableRandom random)
      throws Exception {
    byte[] bytes = TestBytes.random(random, 24 << 20);
    try (Link link = Link.open(kind)) {
      ByteBuffer out = ByteBuffer.wrap(bytes);
      int taken = 0;
      for (int count = link.wire.write(out); count > 0; count = link.wire.write(out)) {
        taken += count;
      }
      CompletableFuture<byte[]> received = link.receive(taken);
      for (int i = 0; !received.isDone() && i < 1000; i++) {
        link.wire.await(Wire.READ, SHORT_MS);
        assertThat(link.wire.read(ByteBuffer.allocate(8))).isZero();
      }
      assertThat(Arrays.equals(soon(received), Arrays.copyOf(bytes, taken))).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource
  void largePayloadsShouldPassEachOther(Kind kind, SplittableRandom random) throws Exception {
    byte[] there = TestBytes.random(random, 12 << 20);
    byte[] back = TestBytes.random(random, 12 << 20);
    try (Link link = Link.open(kind)) {
      CompletableFuture<byte[]> received = link.receive(there.length);
      CompletableFuture<Void> sent = link.send(back);
      ByteBuffer out = ByteBuffer.wrap(there);
      ByteBuffer in = ByteBuffer.allocate(back.length);
      while (out.hasRemaining() || in.hasRemaining()) {
        int moved = 0;
        if (out.hasRemaining()) {
          int step = Math.min(out.remaining(), 1 + random.nextInt(200_000));
          ByteBuffer some = out.slice(out.position(), step);
          moved += link.wire.write(some);
          out.position(out.position() + some.position());
        }
        if (in.hasRemaining()) {
          int step = Math.min(in.remaining(), 1 + random.nextInt(200_000));
          ByteBuffer some = in.slice(in.position(), step);
          moved += Math.max(0, link.wire.read(some));
          in.position(in.position() + some.position());
        }
        if (moved == 0) {
          int write = out.hasRemaining() ? Wire.WRITE : 0;
          link.wire.await((in.hasRemaining() ? Wire.READ : 0) | write, WAIT_MS);
        }
      }
      flush(link.wire);
      soon(sent);
      assertThat(Arrays.equals(in.array(), back)).isTrue();
      assertThat(Arrays.equals(soon(received), there)).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatIsReadInSmallPiecesShouldNotWaitForMore(Kind kind, SplittableRandom random)
      throws Exception {
    byte[] bytes = TestBytes.random(random, 40_000);
    try (Link link = Link.open(kind)) {
      soon(link.send(bytes));
      long before = System.nanoTime();
      assertThat(read(link.wire, bytes.length, 100)).isEqualTo(bytes);
      ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length);
      soon(link.send(bytes));
      while (direct.hasRemaining()) {
        link.wire.await(Wire.READ, WAIT_MS);
        link.wire.read(direct);
      }
      assertThat(direct.flip()).isEqualTo(ByteBuffer.wrap(bytes));
      assertThat(System.nanoTime() - before).isLessThan(TimeUnit.MILLISECONDS.toNanos(WAIT_MS));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aPeerThatSaysNoMoreShouldStillListen(Kind kind) throws Exception {
    try (Link link = Link.open(kind)) {
      OutputStream out = link.peer.getOutputStream();
      out.write(new byte[] {1, 2, 3});
      link.peer.shutdownOutput();
      assertThat(read(link.wire, 3, 8)).containsExactly(1, 2, 3);
      assertThat(awaitEnd(link.wire)).isEqualTo(-1);
      assertThat(link.wire.write(ByteBuffer.wrap(new byte[] {4, 5}))).isEqualTo(2);
      InputStream in = link.peer.getInputStream();
      assertThat(in.readNBytes(2)).containsExactly(4, 5);
    }
  }

  @ParameterizedTest
  @EnumSource
  void theEndOfAClosedWireShouldReachThePeer(Kind kind) throws Exception {
    try (Link link = Link.open(kind)) {
      link.wire.write(ByteBuffer.wrap(new byte[] {1}));
      link.wire.close();
      assertThat(soon(link.receive(2))).containsExactly(1);
    }
  }
}
