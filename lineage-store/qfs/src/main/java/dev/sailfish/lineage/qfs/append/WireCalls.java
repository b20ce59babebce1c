package dev.sailfish.lineage.qfs.append;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.lineage.qfs.QfsClient;
import dev.sailfish.lineage.qfs.meta.ChunkInfo;
import dev.sailfish.lineage.qfs.meta.MetaClient;
import dev.sailfish.lineage.qfs.wire.Connection;
import dev.sailfish.lineage.qfs.wire.Reply;
import dev.sailfish.lineage.qfs.wire.Request;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.Adler32;

/**
 * {@link AppendCalls} over connections. Keeps one to the first server of the chunk, because that
 * server drops what it has reserved when the connection ends.
 */
final class WireCalls implements AppendCalls {
  private static final String SEQUENCE = "Cseq";
  private static final int WORDS_PER_ID = 3;

  private final QfsClient client;
  private final long file;
  private final String path;
  private final int appendersPerChunk;

  /** To the first server of the chunk; null when there is none. */
  private Connection connection;

  /**
   * @param file id of the file
   * @param path of the file, for the metaserver's checks and for messages
   */
  WireCalls(QfsClient client, long file, String path, int appendersPerChunk) {
    this.client = client;
    this.file = file;
    this.path = path;
    this.appendersPerChunk = appendersPerChunk;
  }

  @Override
  public ChunkInfo allocate(long offset, int bytes) throws IOException {
    Reply reply =
        client
            .meta()
            .call(
                Request.of("ALLOCATE")
                    .field("Client-host", "sailfish")
                    .field("Pathname", path)
                    .field("File-handle", file)
                    .field("Chunk-offset", offset)
                    .field("Chunk-append", 1)
                    .field("Space-reserve", bytes)
                    .field("Max-appenders", appendersPerChunk)
                    .about(path));
    required(reply, "Chunk-offset");
    ChunkInfo chunk = MetaClient.allocation(reply, offset);
    if (chunk.servers().isEmpty()) {
      throw new IOException("metaserver named no server: path=" + path + " chunk=" + chunk);
    }
    return chunk;
  }

  @Override
  public WriteIds writeIds(ChunkInfo chunk) throws IOException {
    connect(chunk.servers().get(0));
    Reply reply =
        connection.call(
            ofChunk("WRITE_ID_ALLOC", chunk)
                .field("Offset", 0)
                .field("Num-bytes", 0)
                .field("For-record-append", 1)
                .field("Num-servers", chunk.servers().size())
                .field("Servers", servers(chunk, null)));
    List<Long> ids = new ArrayList<>();
    List<HostPort> servers = new ArrayList<>();
    parseIds(reply.text("Write-id", ""), servers, ids);
    if (!servers.equals(chunk.servers())) {
      throw new IOException(
          "write ids of other servers: path=%s chunk=%s servers=%s"
              .formatted(path, chunk, servers));
    }
    return new WriteIds(ids, required(reply, SEQUENCE));
  }

  @Override
  public void reserve(ChunkInfo chunk, WriteIds ids, int bytes) throws IOException {
    connected(chunk).call(withIds("CHUNK_SPACE_RESERVE", chunk, ids).field("Num-bytes", bytes));
  }

  @Override
  public Appended append(ChunkInfo chunk, WriteIds ids, ByteBuffer bytes) throws IOException {
    Adler32 checksum = new Adler32();
    checksum.update(bytes.duplicate());
    Reply reply =
        connected(chunk)
            .call(
                withIds("RECORD_APPEND", chunk, ids)
                    .field("Num-bytes", bytes.remaining())
                    .field("Checksum", checksum.getValue())
                    .field("Offset", -1)
                    .field("File-offset", -1)
                    .body(bytes));
    return new Appended(required(reply, SEQUENCE), required(reply, "File-offset"));
  }

  @Override
  public OpStatus status(ChunkInfo chunk, WriteIds ids, int server) throws IOException {
    // What is still waiting on the other connection must not be in the way.
    Connection asked = client.chunkservers().take(chunk.servers().get(server));
    try {
      Reply reply =
          asked.call(
              Request.of("GET_RECORD_APPEND_OP_STATUS")
                  .field("Chunk-handle", chunk.id())
                  .field("Write-id", ids.ids().get(server))
                  .about(path));
      return new OpStatus(
          required(reply, "Chunk-version"),
          required(reply, "Op-seq"),
          (int) required(reply, "Op-status"),
          required(reply, "Op-offset"),
          required(reply, "Op-length"),
          required(reply, "Wid-read-only") != 0);
    } finally {
      client.chunkservers().give(asked);
    }
  }

  @Override
  public void close(ChunkInfo chunk, WriteIds ids) throws IOException {
    connected(chunk).call(withIds("CLOSE", chunk, ids).field("Has-write-id", 1));
  }

  @Override
  public void release() {
    if (connection != null) {
      client.chunkservers().give(connection);
      connection = null;
    }
  }

  private void connect(HostPort server) throws IOException {
    if (connection != null && (!connection.isOpen() || !connection.server().equals(server))) {
      release();
    }
    if (connection == null) {
      connection = client.chunkservers().take(server);
    }
  }

  private Connection connected(ChunkInfo chunk) throws IOException {
    if (connection == null) {
      throw new IOException("not connected: path=%s chunk=%s".formatted(path, chunk));
    }
    return connection;
  }

  private Request ofChunk(String operation, ChunkInfo chunk) {
    return Request.of(operation)
        .field("Chunk-handle", chunk.id())
        .field("Chunk-version", chunk.version())
        .about(path);
  }

  private Request withIds(String operation, ChunkInfo chunk, WriteIds ids) {
    return ofChunk(operation, chunk)
        .field("Num-servers", chunk.servers().size())
        .field("Servers", servers(chunk, ids));
  }

  /** Host, port and, if there are any, write id of each server, with blanks between. */
  private static String servers(ChunkInfo chunk, WriteIds ids) {
    StringBuilder list = new StringBuilder();
    for (int server = 0; server < chunk.servers().size(); server++) {
      HostPort at = chunk.servers().get(server);
      list.append(server == 0 ? "" : " ").append(at.host()).append(' ').append(at.port());
      if (ids != null) {
        list.append(' ').append(ids.ids().get(server));
      }
    }
    return list.toString();
  }

  /** Host, port and write id of each server, with blanks between. */
  private void parseIds(String list, List<HostPort> servers, List<Long> ids) throws IOException {
    String[] words = list.strip().split("\\s+");
    if (words.length % WORDS_PER_ID != 0) {
      throw new IOException("no list of write ids: path=%s list=%s".formatted(path, list));
    }
    try {
      for (int word = 0; word < words.length; word += WORDS_PER_ID) {
        servers.add(new HostPort(words[word], Integer.parseInt(words[word + 1])));
        ids.add(Long.parseLong(words[word + 2]));
      }
    } catch (NumberFormatException e) {
      throw new IOException("no list of write ids: path=%s list=%s".formatted(path, list), e);
    }
  }

  private long required(Reply reply, String name) throws IOException {
    if (!reply.has(name)) {
      throw new IOException("a reply has no " + name + ": path=" + path);
    }
    return reply.number(name, 0);
  }
}
