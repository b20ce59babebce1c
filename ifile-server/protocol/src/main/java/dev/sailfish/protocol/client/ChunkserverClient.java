package dev.sailfish.protocol.client;

import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.format.tail.IndexSummary;
import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.PayloadReply;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.wire.AwaitSortedRequest;
import dev.sailfish.protocol.wire.AwaitSortedResponse;
import dev.sailfish.protocol.wire.ListChunksRequest;
import dev.sailfish.protocol.wire.ListChunksResponse;
import dev.sailfish.protocol.wire.ReadRequest;
import dev.sailfish.protocol.wire.ServerStatusRequest;
import dev.sailfish.protocol.wire.ServerStatusResponse;
import dev.sailfish.protocol.wire.SummarizeIndexRequest;
import dev.sailfish.protocol.wire.SummarizeIndexResponse;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What tools and daemons ask of a chunkserver, waiting for each reply; tasks send over its {@link
 * Connection}. For one thread at a time.
 */
public final class ChunkserverClient implements Closeable {
  private static final int CHUNKS_PER_REQUEST = 4096;

  private final Connection connection;

  private ChunkserverClient(Connection connection) {
    this.connection = connection;
  }

  /** Connects over TCP to a chunkserver that authenticates nobody. */
  public static ChunkserverClient connect(
      InetSocketAddress address, String caller, Duration deadline) throws IOException {
    return connect(Network.SOCKETS, address, caller, Credentials.none(), deadline);
  }

  /** Connects over TCP; see the other {@code connect}. */
  public static ChunkserverClient connect(
      InetSocketAddress address, String caller, Credentials credentials, Duration deadline)
      throws IOException {
    return connect(Network.SOCKETS, address, caller, credentials, deadline);
  }

  /**
   * Connects to a chunkserver.
   *
   * @param network what the connection goes over
   * @param caller who calls, for the server's log
   * @param credentials who calls, for what it may do
   * @param deadline of connecting and of each wait
   * @throws RemoteException UNAUTHENTICATED when one side has not proved who it is
   * @throws IOException naming the address when it cannot be reached
   */
  public static ChunkserverClient connect(
      Network network,
      InetSocketAddress address,
      String caller,
      Credentials credentials,
      Duration deadline)
      throws IOException {
    return new ChunkserverClient(Connection.open(network, address, caller, credentials, deadline));
  }

  /** The connection, to send over. */
  public Connection connection() {
    return connection;
  }

  /**
   * Waits until a chunk is sorted and returns its tail. Makes an OPEN chunk STABLE.
   *
   * @param deadlineMs after how long the server tells how far it is; it is asked again then
   * @param patience how long the sort may stand still
   * @throws RemoteException CHUNK_UNKNOWN or CHUNK_LOST when its bytes are gone
   * @throws SlowServerException when it stands still, or takes {@link SortWait#MOST_PATIENCES}
   *     times as long
   */
  public ChunkTail awaitSorted(String job, long chunk, int deadlineMs, Duration patience)
      throws IOException {
    Network network = connection.network();
    SortWait wait = new SortWait(patience, network.nanoTime(), network.nanoTime());
    AwaitSortedRequest request =
        AwaitSortedRequest.newBuilder()
            .setJob(job)
            .setChunk(chunk)
            .setDeadlineMs(deadlineMs)
            .setPlace(true)
            .build();
    while (true) {
      PayloadReply reply =
          connection.exchange(IfileService.AWAIT_SORTED, request, new PayloadReply());
      if (reply.bytes().length > 0) {
        ByteBuffer tail = ByteBuffer.wrap(reply.bytes());
        return ChunkTail.parse(tail, tail.capacity());
      }
      wait.answered(AwaitSortedResponse.parser().parseFrom(reply.header()), network.nanoTime());
      SlowServerException slow =
          wait.slow("chunkserver " + connection.address(), network.nanoTime());
      if (slow != null) {
        throw slow;
      }
      network.pause(network.nanoTime() + wait.askAgainMs() * 1_000_000, "a sort");
    }
  }

  /** Reads bytes of a sorted chunk. */
  public byte[] read(String job, long chunk, long offset, int length) throws IOException {
    ReadRequest request =
        ReadRequest.newBuilder()
            .setJob(job)
            .setChunk(chunk)
            .setOffset(offset)
            .setLength(length)
            .build();
    return connection.exchange(IfileService.READ, request, new PayloadReply(length)).bytes();
  }

  /**
   * Sums over the indexes of chunks; asks as often as it takes.
   *
   * @param chunks of one job, any number
   * @param bytesPerEntry how many bytes before compression an entry shall sum up, at least; 0: as
   *     fine as the indexes are
   * @param last whether all maps have a winner, so that chunks that take appends are made STABLE
   * @return in the order of {@code chunks}, without those that are not SORTED on this server
   */
  public List<IndexSummary> summarizeIndex(
      String job, List<Long> chunks, long bytesPerEntry, boolean last) throws IOException {
    List<IndexSummary> summaries = new ArrayList<>();
    for (int from = 0; from < chunks.size(); from += CHUNKS_PER_REQUEST) {
      int to = Math.min(from + CHUNKS_PER_REQUEST, chunks.size());
      SummarizeIndexRequest.Builder request =
          SummarizeIndexRequest.newBuilder()
              .setJob(job)
              .addAllChunks(chunks.subList(from, to))
              .setBytesPerEntry(bytesPerEntry)
              .setFinal(last);
      boolean more;
      do {
        more = summarizeIndex(request, summaries);
      } while (more);
    }
    return summaries;
  }

  /** Asks for one answer and has the request go on behind it; false when there is no more. */
  private boolean summarizeIndex(
      SummarizeIndexRequest.Builder request, List<IndexSummary> summaries) throws IOException {
    PayloadReply reply =
        connection.exchange(IfileService.SUMMARIZE_INDEX, request.build(), new PayloadReply());
    IndexSummary.read(ByteBuffer.wrap(reply.bytes()), summaries);
    SummarizeIndexResponse answer = SummarizeIndexResponse.parser().parseFrom(reply.header());
    int chunk = answer.getNextChunk();
    boolean advanced =
        chunk > request.getFromChunk()
            || chunk == request.getFromChunk() && answer.getNextEntry() > request.getFromEntry();
    boolean whole = summaries.isEmpty() || summaries.get(summaries.size() - 1).isComplete();
    if (answer.getMore() ? !advanced : !whole) {
      throw new IOException(
          "index summaries of job=%s from chunkserver %s do not go on: chunk=%s of %s entry=%s"
              .formatted(
                  request.getJob(),
                  connection.address(),
                  chunk,
                  request.getChunksCount(),
                  answer.getNextEntry()));
    }
    request.setFromChunk(chunk).setFromEntry(answer.getNextEntry());
    return answer.getMore();
  }

  /**
   * Chunks that the server holds; asks as often as it takes to get all of them.
   *
   * @param job only those of this job, or empty for all
   */
  public ListChunksResponse listChunks(String job) throws IOException {
    ListChunksRequest first = ListChunksRequest.newBuilder().setJob(job).build();
    ListChunksResponse page = listChunks(first);
    if (!page.getMore()) {
      return page;
    }
    ListChunksResponse.Builder all = page.toBuilder().clearMore();
    while (page.getMore() && page.getChunksCount() > 0) {
      long last = page.getChunks(page.getChunksCount() - 1).getChunk();
      page = listChunks(first.toBuilder().setAfterChunk(last).build());
      all.addAllChunks(page.getChunksList());
    }
    return all.build();
  }

  /** One page of the chunks that the server holds. */
  public ListChunksResponse listChunks(ListChunksRequest request) throws IOException {
    return connection.call(IfileService.LIST_CHUNKS, request, ListChunksResponse.parser());
  }

  /** The server's counters. */
  public ServerStatusResponse status() throws IOException {
    return connection.call(
        IfileService.SERVER_STATUS,
        ServerStatusRequest.getDefaultInstance(),
        ServerStatusResponse.parser());
  }

  @Override
  public void close() {
    connection.close();
  }
}
