package dev.sailfish.testkit.qfs;

import java.io.Closeable;
import java.io.IOException;

/** The steps that tests with raw connections share: a file, its chunk, write ids, writes. */
final class RawFiles implements Closeable {
  final RawConnection meta;
  private final QfsTestServer qfs;
  private RawConnection chunkserver;

  long file;
  long chunk;
  long version;
  String servers;
  String writeIds;

  RawFiles(QfsTestServer qfs) throws IOException {
    this.qfs = qfs;
    meta = new RawConnection(qfs.metaPort(0));
  }

  void create(String name, int replicas) throws IOException {
    file =
        meta.call("CREATE", "Parent File-handle", 2, "Filename", name, "Num-replicas", replicas)
            .number("File-handle");
  }

  RawConnection.Answer allocate(Object... more) throws IOException {
    Object[] fields = {"Pathname", "/f", "File-handle", file};
    Object[] all = new Object[fields.length + more.length];
    System.arraycopy(fields, 0, all, 0, fields.length);
    System.arraycopy(more, 0, all, fields.length, more.length);
    RawConnection.Answer answer = meta.call("ALLOCATE", all);
    if (answer.status() == 0) {
      chunk = answer.number("Chunk-handle");
      version = answer.number("Chunk-version");
      servers = answer.fields().get("Replicas");
    }
    return answer;
  }

  int replicas() {
    return servers.split(" ").length / 2;
  }

  /** The first server of the chain. */
  QfsChunkserver first() {
    return qfs.chunkserverAt(Integer.parseInt(servers.split(" ")[1]));
  }

  /** The second one. */
  QfsChunkserver second() {
    return qfs.chunkserverAt(Integer.parseInt(servers.split(" ")[3]));
  }

  RawConnection chunkserver() throws IOException {
    if (chunkserver == null) {
      chunkserver = new RawConnection(first().port());
    }
    return chunkserver;
  }

  void reconnect() throws IOException {
    chunkserver.close();
    chunkserver = null;
  }

  RawConnection.Answer writeId(boolean append) throws IOException {
    RawConnection.Answer answer =
        onChunk(
            "WRITE_ID_ALLOC",
            new byte[0],
            "Offset",
            0,
            "Num-bytes",
            0,
            "For-record-append",
            append ? 1 : 0,
            "Num-servers",
            replicas(),
            "Servers",
            servers);
    writeIds = answer.fields().get("Write-id");
    return answer;
  }

  RawConnection.Answer prepare(long offset, byte[] bytes) throws IOException {
    return onChunk(
        "WRITE_PREPARE",
        bytes,
        "Offset",
        offset,
        "Num-bytes",
        bytes.length,
        "Checksum",
        QfsChunkserver.checksum(bytes),
        "Reply",
        1,
        "Num-servers",
        replicas(),
        "Servers",
        writeIds);
  }

  RawConnection.Answer closeChunk() throws IOException {
    return onChunk(
        "CLOSE", new byte[0], "Has-write-id", 1, "Num-servers", replicas(), "Servers", writeIds);
  }

  RawConnection.Answer reserve(long bytes) throws IOException {
    return onChunk(
        "CHUNK_SPACE_RESERVE",
        new byte[0],
        "Num-bytes",
        bytes,
        "Num-servers",
        replicas(),
        "Servers",
        writeIds);
  }

  RawConnection.Answer append(byte[] record) throws IOException {
    return onChunk(
        "RECORD_APPEND",
        record,
        "Num-bytes",
        record.length,
        "Checksum",
        QfsChunkserver.checksum(record),
        "Offset",
        -1,
        "File-offset",
        -1,
        "Num-servers",
        replicas(),
        "Servers",
        writeIds);
  }

  RawConnection.Answer appendStatus() throws IOException {
    return onChunk("GET_RECORD_APPEND_OP_STATUS", new byte[0], "Write-id", writeIds.split(" ")[2]);
  }

  RawConnection.Answer read(long offset, long bytes, Object... more) throws IOException {
    Object[] all = new Object[4 + more.length];
    System.arraycopy(new Object[] {"Offset", offset, "Num-bytes", bytes}, 0, all, 0, 4);
    System.arraycopy(more, 0, all, 4, more.length);
    return onChunk("READ", new byte[0], all);
  }

  RawConnection.Answer onChunk(String operation, byte[] body, Object... more) throws IOException {
    Object[] all = new Object[4 + more.length];
    Object[] chunkFields = {"Chunk-handle", chunk, "Chunk-version", version};
    System.arraycopy(chunkFields, 0, all, 0, 4);
    System.arraycopy(more, 0, all, 4, more.length);
    return chunkserver().call(operation, body, all);
  }

  @Override
  public void close() throws IOException {
    meta.close();
    if (chunkserver != null) {
      chunkserver.close();
    }
  }
}
