package dev.sailfish.lineage.qfs.meta;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.lineage.qfs.wire.Connections;
import dev.sailfish.lineage.qfs.wire.QfsError;
import dev.sailfish.lineage.qfs.wire.QfsException;
import dev.sailfish.lineage.qfs.wire.Reply;
import dev.sailfish.lineage.qfs.wire.Request;
import java.io.Closeable;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The namespace of a QFS: each method is an operation of its metaserver. Calls are repeated over
 * other connections and at other addresses until {@link RetrySettings#deadline}; what may not be
 * done twice carries an id by which the server knows it again. Refusals are {@link QfsException}s
 * with the path. Thread-safe.
 */
public final class MetaClient implements Closeable {
  /** The root's id. */
  public static final long ROOT_ID = 2;

  private static final int LAYOUT_PAGE = 4096;

  /** Of a chunk, so that another one may follow. */
  private static final long LAST_OFFSET = Long.MAX_VALUE - ChunkInfo.BYTES;

  private static final int MOST_SERVERS = 64;

  private final MetaLink link;
  private final Owner caller;
  private final AtomicLong requestId = new AtomicLong(new SecureRandom().nextLong());

  /**
   * A client that connects when it is asked something.
   *
   * @param metaservers addresses of one metaserver, or of several of which one leads
   * @param caller as whom
   * @param connections of this client, which their owner closes
   */
  public MetaClient(
      List<HostPort> metaservers, Owner caller, Connections connections, RetrySettings retry) {
    this.link = new MetaLink(metaservers, caller, connections, retry);
    this.caller = caller;
  }

  /** Who asks. */
  public Owner caller() {
    return caller;
  }

  /**
   * Asks anything of the metaserver that leads, as the caller of this client.
   *
   * @param request may be done twice; it is used up
   * @throws QfsException when it refuses
   */
  public Reply call(Request request) throws IOException {
    return requireGood(request, link.call(request));
  }

  private static Reply requireGood(Request request, Reply reply) throws QfsException {
    if (reply.status() < 0) {
      String words = reply.message();
      throw new QfsException(
          reply.status(),
          request.operation(),
          request.subject(),
          "the metaserver" + (words.isEmpty() ? "" : ", which says: " + words));
    }
    return reply;
  }

  /** Asks for what may be done only once. */
  private Reply callOnce(Request request) throws IOException {
    return call(request.field("Rid", requestId.incrementAndGet() & Long.MAX_VALUE));
  }

  /** What is at a path. The size may be {@link FileInfo#UNKNOWN}. */
  public FileInfo stat(String path) throws IOException {
    QfsPath at = new QfsPath(path);
    Reply reply =
        call(
            Request.of("LOOKUP_PATH")
                .field("Root File-handle", ROOT_ID)
                .field("Pathname", path)
                .about(path));
    return Attributes.ofReply(reply, at.name());
  }

  /** What a directory has under a name. */
  public FileInfo lookup(long parent, String name) throws IOException {
    Reply reply =
        call(
            Request.of("LOOKUP")
                .field("Parent File-handle", parent)
                .field("Filename", name)
                .about(name + " in directory " + parent));
    return Attributes.ofReply(reply, name);
  }

  private long parentId(QfsPath path) throws IOException {
    QfsPath parent = path.parent();
    if (parent.isRoot()) {
      return ROOT_ID;
    }
    FileInfo found = stat(parent.text());
    if (!found.directory()) {
      throw new QfsException(
          -QfsError.ENOTDIR.code(), "LOOKUP_PATH", parent.text(), "the metaserver");
    }
    return found.id();
  }

  private Request inParent(String operation, String nameField, String path) throws IOException {
    QfsPath at = new QfsPath(path);
    if (at.isRoot()) {
      throw new QfsException(-QfsError.EINVAL.code(), operation, path, "this side: it is the root");
    }
    return Request.of(operation)
        .field("Parent File-handle", parentId(at))
        .field(nameField, at.name())
        .about(path);
  }

  /**
   * Makes an empty file in a directory that is there.
   *
   * @return its id
   */
  public long create(String path, CreateOptions options) throws IOException {
    Reply reply =
        callOnce(
            owned(inParent("CREATE", "Filename", path), options.mode())
                .field("Num-replicas", options.replication())
                .field("Exclusive", options.overwrite() ? 0 : 1));
    return reply.number("File-handle", FileInfo.UNKNOWN);
  }

  /** Makes a directory in one that is there. */
  public void makeDirectory(String path, int mode) throws IOException {
    callOnce(owned(inParent("MKDIR", "Directory", path), mode));
  }

  private Request owned(Request request, int mode) {
    return request.field("Owner", caller.user()).field("Group", caller.group()).field("Mode", mode);
  }

  /** Gives a file or directory another path. */
  public void rename(String from, String to, boolean overwrite) throws IOException {
    QfsPath target = new QfsPath(to);
    Request request =
        inParent("RENAME", "Old-name", from)
            .field("New-path", target.text())
            .field("Old-path", from)
            .about(from + " to " + to);
    callOnce(overwrite ? request.field("Overwrite", 1) : request);
  }

  /** Removes a file. */
  public void remove(String path) throws IOException {
    callOnce(inParent("REMOVE", "Filename", path).field("Pathname", path));
  }

  /** Removes an empty directory. */
  public void removeDirectory(String path) throws IOException {
    callOnce(inParent("RMDIR", "Directory", path).field("Pathname", path));
  }

  /**
   * Some entries of a directory.
   *
   * @param after the name that the page before ended with; empty: from the start
   * @param most entries of the page, those of the directory itself included
   */
  public DirectoryPage list(String path, String after, int most) throws IOException {
    return list(path, stat(path).id(), after, most);
  }

  /** The same for a directory whose id is known. */
  public DirectoryPage list(String path, long directory, String after, int most)
      throws IOException {
    Request request =
        Request.of("READDIRPLUS")
            .field("Directory File-handle", directory)
            .field("GetLastChunkInfoOnlyIfSizeUnknown", 1)
            .field("Max-entries", most)
            .field("Omit-lci", 1)
            .about(path);
    Reply reply = call(after.isEmpty() ? request : request.field("Fname-start", after));
    DirectoryPage page =
        Attributes.ofEntries(reply.body(), reply.number("Has-more-entries", 0) != 0);
    if (page.more() && (page.last().isEmpty() || page.last().equals(after))) {
      throw new ProtocolException(
          "%s: a list that is to go on after '%s', and does not".formatted(path, after));
    }
    return page;
  }

  /** Where a file's chunks are, from one that begins at an offset on. */
  public Layout layout(String path, long file, long fromOffset) throws IOException {
    List<ChunkInfo> chunks = new ArrayList<>();
    long from = fromOffset - fromOffset % ChunkInfo.BYTES;
    while (true) {
      Reply reply =
          call(
              Request.of("GETLAYOUT")
                  .field("File-handle", file)
                  .field("Start-offset", from)
                  .field("Max-chunks", LAYOUT_PAGE)
                  .field("Continue-if-no-replicas", 1)
                  .about(path));
      Iterator<String> words = words(reply);
      long count = reply.number("Num-chunks", 0);
      for (long i = 0; i < count; i++) {
        ChunkInfo chunk = chunk(words);
        if (chunk.offset() < from || chunk.offset() > LAST_OFFSET) {
          throw new ProtocolException(
              "%s: a chunk at %s of a file whose chunks from %s on were asked for"
                  .formatted(path, chunk.offset(), from));
        }
        chunks.add(chunk);
        from = chunk.offset() + ChunkInfo.BYTES;
      }
      if (reply.number("Has-more-chunks", 0) == 0 || count == 0) {
        return new Layout(reply.number("File-size", FileInfo.UNKNOWN), chunks);
      }
    }
  }

  private static ChunkInfo chunk(Iterator<String> words) throws ProtocolException {
    long offset = ServerList.number(words);
    long id = ServerList.number(words);
    long version = ServerList.number(words);
    return new ChunkInfo(offset, id, version, ServerList.take(words, ServerList.number(words)));
  }

  private static Iterator<String> words(Reply reply) {
    return words(StandardCharsets.US_ASCII.decode(reply.body()).toString());
  }

  private static Iterator<String> words(String text) {
    String stripped = text.strip();
    return stripped.isEmpty()
        ? List.<String>of().iterator()
        : Arrays.asList(stripped.split("\\s+")).iterator();
  }

  /**
   * Where one chunk is, as the metaserver knows now.
   *
   * @param offset in the file, any of the chunk
   * @throws QfsException ENOENT: there is a hole; EHOSTUNREACH or EAGAIN: no server has it now
   */
  public ChunkInfo chunkAt(String path, long file, long offset) throws IOException {
    long start = offset - offset % ChunkInfo.BYTES;
    Reply reply =
        call(
            Request.of("GETALLOC")
                .field("Pathname", path)
                .field("File-handle", file)
                .field("Chunk-offset", start)
                .about(path + " at " + start));
    return chunk(reply, start);
  }

  /**
   * Gets the right to write to a chunk, which is made if there is none. An existing one gets a new
   * version.
   *
   * @param offset of the chunk in the file
   */
  public ChunkInfo allocate(String path, long file, long offset) throws IOException {
    Reply reply =
        call(
            Request.of("ALLOCATE")
                .field("Client-host", "sailfish")
                .field("Pathname", path)
                .field("File-handle", file)
                .field("Chunk-offset", offset)
                .about(path + " at " + offset));
    return allocation(reply, offset);
  }

  /**
   * What an ALLOCATE's reply says, for those who send one of their own.
   *
   * @param offset that was asked for; a reply with one of its own counts
   */
  public static ChunkInfo allocation(Reply reply, long offset) throws IOException {
    return chunk(reply, reply.number("Chunk-offset", offset));
  }

  private static ChunkInfo chunk(Reply reply, long offset) throws IOException {
    List<HostPort> servers = new ArrayList<>();
    if (reply.has("Master")) {
      servers.addAll(ServerList.take(words(reply.text("Master", "")), 1));
    }
    long count = Math.min(MOST_SERVERS, reply.number("Num-replicas", 0));
    for (HostPort server : ServerList.take(words(reply.text("Replicas", "")), count)) {
      if (!servers.contains(server)) {
        servers.add(server);
      }
    }
    return new ChunkInfo(
        offset,
        reply.number("Chunk-handle", FileInfo.UNKNOWN),
        reply.number("Chunk-version", FileInfo.UNKNOWN),
        servers);
  }

  /**
   * Cuts a file. A cut inside of a chunk may be refused.
   *
   * @throws IllegalArgumentException the file has fewer bytes: a metaserver that is told to make it
   *     longer takes the last chunk away, and zeros are read in its place
   */
  public void truncate(String path, long size) throws IOException {
    FileInfo file = stat(path);
    if (size > file.size()) {
      throw new IllegalArgumentException(
          "%s has %s bytes: it can be cut, not made longer (size=%s); append to it"
              .formatted(path, file.size(), size));
    }
    call(
        Request.of("TRUNCATE")
            .field("Pathname", path)
            .field("File-handle", file.id())
            .field("Offset", size)
            .field("Check-perms", 1)
            .about(path));
  }

  /** Sets the nine bits of permissions. */
  public void setMode(String path, int mode) throws IOException {
    call(Request.of("CHMOD").field("File-handle", stat(path).id()).field("Mode", mode).about(path));
  }

  /**
   * Gives it away.
   *
   * @param user below zero: as it was
   * @param group below zero: as it was
   */
  public void setOwner(String path, int user, int group) throws IOException {
    Request request = Request.of("CHOWN").field("File-handle", stat(path).id()).about(path);
    if (user >= 0) {
      request.field("Owner", user);
    }
    if (group >= 0) {
      request.field("Group", group);
    }
    call(request);
  }

  /** Sets when it was changed last, in microseconds since 1970. */
  public void setModified(String path, long us) throws IOException {
    call(
        Request.of("SET_MTIME")
            .field("Pathname", path)
            .field("Mtime-sec", Math.floorDiv(us, 1_000_000L))
            .field("Mtime-usec", Math.floorMod(us, 1_000_000L))
            .about(path));
  }

  /**
   * Says how many copies a file's chunks have from now on. The server makes or removes copies
   * later.
   *
   * @return what the server allows
   */
  public int setReplication(String path, int copies) throws IOException {
    Reply reply =
        call(
            Request.of("CHANGE_FILE_REPLICATION")
                .field("File-handle", stat(path).id())
                .field("Num-replicas", copies)
                .about(path));
    return (int) reply.number("Num-replicas", copies);
  }

  /**
   * Has the metaserver keep a chunk as it is for the length of a lease.
   *
   * @param flush ends an appender's right first: the chunk becomes stable
   * @return the lease
   */
  public long acquireReadLease(String path, long chunk, boolean flush) throws IOException {
    Request request =
        Request.of("LEASE_ACQUIRE")
            .field("Pathname", path)
            .field("Chunk-handle", chunk)
            .about(path + ", chunk " + chunk);
    Reply reply = call(flush ? request.field("Flush-write-lease", 1) : request);
    return reply.number("Lease-id", FileInfo.UNKNOWN);
  }

  /** Makes a lease last longer. */
  public void renewReadLease(String path, long chunk, long lease) throws IOException {
    call(
        Request.of("LEASE_RENEW")
            .field("Pathname", path)
            .field("Chunk-handle", chunk)
            .field("Lease-id", lease)
            .field("Lease-type", "READ_LEASE")
            .about(path + ", chunk " + chunk));
  }

  /** Ends a lease before its time. Asked once: if that fails, the lease runs out by itself. */
  public void relinquishReadLease(String path, long chunk, long lease) throws IOException {
    Request request =
        Request.of("LEASE_RELINQUISH")
            .field("Chunk-handle", chunk)
            .field("Lease-id", lease)
            .field("Lease-type", "READ_LEASE")
            .about(path + ", chunk " + chunk);
    requireGood(request, link.callWithoutRetry(request));
  }

  /** Gives its connection up. */
  @Override
  public void close() {
    link.close();
  }
}
