package dev.sailfish.system.lineage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.chaos.process.DaemonProcess;
import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Exchange;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.lineage.hadoop.LineageKey;
import dev.sailfish.lineage.master.LineageMaster;
import dev.sailfish.lineage.protocol.LineageService;
import dev.sailfish.lineage.protocol.wire.ChangeRequest;
import dev.sailfish.lineage.protocol.wire.ChangeResponse;
import dev.sailfish.lineage.protocol.wire.CompleteFile;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import dev.sailfish.testkit.ChildJvm;
import dev.sailfish.testkit.FreePort;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A directory of a million entries, at a master with little memory: made, listed by pages through
 * Hadoop, and deleted, while another client is served.
 */
@Tag("long")
@Timeout(1500)
class MillionEntriesTest {
  private static final int ENTRIES = 1_000_000;
  private static final int IN_FLIGHT = 900;
  private static final String HEAP = "-Xmx256m";
  private static final Duration DEADLINE = Duration.ofSeconds(120);
  private static final StoreUser USER =
      StoreUser.newBuilder().setName("root").setSuperuser(true).build();

  /** What another client may wait at most while the directory is listed and deleted. */
  private static final Duration LONGEST_STAT = Duration.ofSeconds(5);

  @TempDir private File directory;
  private final InetSocketAddress address = new InetSocketAddress("127.0.0.1", FreePort.next());
  private DaemonProcess master;
  private FileSystem fs;

  @BeforeEach
  void start() throws IOException {
    String prefix = "sailfish.lineage.master.";
    var properties =
        Files.write(
            directory.toPath().resolve("master.properties"),
            List.of(
                prefix + "host=127.0.0.1",
                prefix + "port=" + address.getPort(),
                prefix + "web.port=0",
                prefix + "authentication=none",
                prefix + "journal.dir=" + directory.toPath().resolve("journal")));
    var log = directory.toPath().resolve("master.log");
    Process process =
        new ProcessBuilder(
                ChildJvm.command(
                    LineageMaster.class, List.of(HEAP, "-XX:+UseSerialGC"), properties.toString()))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    master = new DaemonProcess("master", address, process.pid(), log, this::listens);
    await("the master serves").atMost(DEADLINE).until(master::serves);
    Configuration conf = new Configuration();
    conf.set(LineageKey.ALL.prefix() + "authentication", "none");
    conf.set(LineageKey.ALL.prefix() + "superuser", System.getProperty("user.name"));
    fs = FileSystem.newInstance(URI.create("lineage://127.0.0.1:" + address.getPort()), conf);
  }

  private boolean listens() {
    try (Socket socket = new Socket(address.getHostString(), address.getPort())) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  @AfterEach
  void stop() throws Exception {
    fs.close();
    master.end("KILL");
  }

  @Test
  void isMadeListedAndDeleted() throws Exception {
    long startNs = System.nanoTime();
    fill();
    long filledNs = System.nanoTime();
    assertListed();
    long listedNs = System.nanoTime();
    // From the journal, with the same memory.
    master.end("KILL");
    master.start();
    long restartedNs = System.nanoTime();
    assertListed();
    long deletedNs = System.nanoTime();
    assertThat(fs.delete(new Path("/large"), true)).isTrue();
    Duration delete = Duration.ofNanos(System.nanoTime() - deletedNs);
    assertThat(delete).isLessThan(LONGEST_STAT);
    assertThat(fs.exists(new Path("/large"))).isFalse();
    assertServed();
    System.out.printf(
        "entries: %d; made in %d s, listed in %d s, read from the journal in %d s, deleted in"
            + " %d ms%n",
        ENTRIES,
        TimeUnit.NANOSECONDS.toSeconds(filledNs - startNs),
        TimeUnit.NANOSECONDS.toSeconds(listedNs - filledNs),
        TimeUnit.NANOSECONDS.toSeconds(restartedNs - listedNs),
        delete.toMillis());
  }

  /** In order, each once, however many they are: a page at a time is in memory. */
  private void assertListed() throws IOException {
    RemoteIterator<FileStatus> entries = fs.listStatusIterator(new Path("/large"));
    for (int i = 0; i < ENTRIES; i++) {
      assertThat(entries.next().getPath().getName()).isEqualTo(name(i));
      if (i % 50_000 == 0) {
        assertServed();
      }
    }
    assertThat(entries.hasNext()).isFalse();
  }

  private void assertServed() throws IOException {
    long startNs = System.nanoTime();
    fs.getFileStatus(new Path("/"));
    assertThat(Duration.ofNanos(System.nanoTime() - startNs)).isLessThan(LONGEST_STAT);
  }

  private static String name(int number) {
    return "entry-%07d".formatted(number);
  }

  private void fill() throws IOException {
    try (Connection connection = Connection.open(address, "fill", Credentials.none(), DEADLINE)) {
      Filling filling = new Filling(connection);
      int next = 0;
      while (filling.completed < ENTRIES) {
        while (!filling.created.isEmpty() && filling.hasRoom()) {
          filling.complete(filling.created.poll());
        }
        while (next < ENTRIES && filling.hasRoom()) {
          filling.create("/large/" + name(next++));
        }
        connection.poll();
      }
    }
  }

  /** Empty files, many changes at a time. */
  private static final class Filling {
    private final Connection connection;
    private final TreeSet<Long> unanswered = new TreeSet<>();
    private final ArrayDeque<Long> created = new ArrayDeque<>();
    private long changes;
    private int completed;

    Filling(Connection connection) {
      this.connection = connection;
    }

    boolean hasRoom() {
      return unanswered.size() < IN_FLIGHT;
    }

    void create(String path) throws IOException {
      CreateFile asked =
          CreateFile.newBuilder()
              .setPath(path)
              .setMode(0644)
              .setMakeParents(true)
              .setParentMode(0755)
              .setBlockSizeLog(27)
              .build();
      send(change().setCreateFile(asked).build());
    }

    void complete(long fid) throws IOException {
      send(change().setCompleteFile(CompleteFile.newBuilder().setFid(fid)).build());
    }

    private ChangeRequest.Builder change() {
      unanswered.add(++changes);
      return ChangeRequest.newBuilder()
          .setClient(1)
          .setNumber(changes)
          .setAnsweredBelow(unanswered.first())
          .setUser(USER);
    }

    private void send(ChangeRequest change) throws IOException {
      connection.send(LineageService.CHANGE, change, new Answer(this, change));
    }
  }

  /** Of one change. */
  private record Answer(Filling filling, ChangeRequest change) implements Exchange {
    @Override
    public void done(ByteBuffer header) throws IOException {
      ChangeResponse response = ChangeResponse.parseFrom(header);
      assertThat(response.hasRefusal()).as("%s", response).isFalse();
      filling.unanswered.remove(change.getNumber());
      if (change.hasCreateFile()) {
        filling.created.add(response.getEntry().getFid());
      } else {
        filling.completed++;
      }
    }

    @Override
    public void failed(RemoteException error) throws IOException {
      throw error;
    }
  }
}
