package dev.sailfish.benchmarks.store.failover;

import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.Exchange;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.lineage.protocol.LineageService;
import dev.sailfish.lineage.protocol.wire.ChangeRequest;
import dev.sailfish.lineage.protocol.wire.ChangeResponse;
import dev.sailfish.lineage.protocol.wire.CompleteFile;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Locale;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;

/**
 * Makes files of one block each, many changes at a time, over one connection. For one thread; no
 * master is killed meanwhile.
 */
final class Filling {
  private static final int IN_FLIGHT = 900; // a master keeps 1024 answers of a client
  private static final int FILES_PER_DIRECTORY = 1000;
  private static final int BLOCK_LOG = 27;
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final StoreUser USER =
      StoreUser.newBuilder().setName("bench").setSuperuser(true).build();

  private final Connection connection;
  private final long client;
  private final int place;
  private final String home;
  private final TreeSet<Long> unanswered = new TreeSet<>();
  private final ArrayDeque<Long> created = new ArrayDeque<>();
  private long changes;
  private long completed;

  /** What the master says to one change. */
  private final class Answer implements Exchange {
    private final long number;
    private final boolean isCreation;

    Answer(long number, boolean isCreation) {
      this.number = number;
      this.isCreation = isCreation;
    }

    @Override
    public void done(ByteBuffer header) throws IOException {
      ChangeResponse response = ChangeResponse.parseFrom(header);
      if (response.hasRefusal()) {
        throw new IOException("a master refuses: " + response.getRefusal().getMessage());
      }
      unanswered.remove(number);
      if (isCreation) {
        created.add(response.getEntry().getFid());
      } else {
        completed++;
      }
    }

    @Override
    public void failed(RemoteException error) throws IOException {
      throw new IOException("a change failed", error);
    }
  }

  /**
   * @param client a number of this one alone, not 0
   * @param place where the blocks of its files are said to be
   */
  Filling(InetSocketAddress leader, long client, int place) throws IOException {
    this.connection = Connection.open(leader, "filling", Masters.credentials(), DEADLINE);
    this.client = client;
    this.place = place;
    this.home = "/fill-" + client;
  }

  /** Makes so many; returns when all of them are acknowledged. */
  void fill(long files) throws IOException {
    fill(files, () -> false);
  }

  /**
   * The same, as far as it is not ended before.
   *
   * @param isEnded asked again and again
   * @return how many are acknowledged
   */
  long fill(long files, BooleanSupplier isEnded) throws IOException {
    try (connection) {
      long begun = 0;
      long wanted = files;
      while (completed < wanted) {
        while (!created.isEmpty() && unanswered.size() < IN_FLIGHT) {
          complete(created.poll());
        }
        while (begun < wanted && unanswered.size() < IN_FLIGHT) {
          create(begun++);
        }
        connection.poll();
        wanted = isEnded.getAsBoolean() ? begun : wanted;
      }
    }
    return completed;
  }

  private void create(long file) throws IOException {
    String path =
        String.format(Locale.ROOT, "%s/d-%05d/%012d", home, file / FILES_PER_DIRECTORY, file);
    CreateFile asked =
        CreateFile.newBuilder()
            .setPath(path)
            .setMode(0644)
            .setMakeParents(true)
            .setParentMode(0755)
            .setBlockSizeLog(BLOCK_LOG)
            .build();
    send(change().setCreateFile(asked).build(), true);
  }

  private void complete(long fid) throws IOException {
    CompleteFile asked =
        CompleteFile.newBuilder().setFid(fid).setLength(1 << 20).addPlaces(place).build();
    send(change().setCompleteFile(asked).build(), false);
  }

  private ChangeRequest.Builder change() {
    changes++;
    unanswered.add(changes);
    return ChangeRequest.newBuilder()
        .setClient(client)
        .setNumber(changes)
        .setAnsweredBelow(unanswered.first())
        .setUser(USER);
  }

  private void send(ChangeRequest change, boolean isCreation) throws IOException {
    connection.send(LineageService.CHANGE, change, new Answer(change.getNumber(), isCreation));
  }
}
