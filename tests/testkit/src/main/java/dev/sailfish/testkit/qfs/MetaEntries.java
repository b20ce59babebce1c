package dev.sailfish.testkit.qfs;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;

/** The metaserver's operations that look at names and attributes. */
final class MetaEntries {
  private static final int MAX_BODY_BYTES = 1 << 20;

  private final Namespace namespace;

  MetaEntries(Namespace namespace) {
    this.namespace = namespace;
  }

  WireReply lookup(WireRequest request) {
    Inode parent = namespace.get(request.required("Parent File-handle", "P"));
    if (parent == null) {
      return WireReply.of(request, QfsStatus.NO_ENTRY);
    }
    if (!parent.directory) {
      return WireReply.of(request, QfsStatus.NOT_DIRECTORY);
    }
    Inode inode = namespace.entry(parent, request.text("Filename", "N", ""));
    if (inode == null) {
      return WireReply.of(request, QfsStatus.NO_ENTRY);
    }
    if (!parent.allows(request, Inode.SEARCH)) {
      return WireReply.of(request, QfsStatus.ACCESS);
    }
    WireReply reply = asked(request, "EU", "EG");
    if (request.flag("Auth-info-only", "I")) {
      long nobody = 0xffff_ffffL;
      return reply.number("User", "U", nobody).number("Group", "G", nobody);
    }
    return attributes(reply, inode);
  }

  WireReply lookupPath(WireRequest request) {
    Inode root = namespace.get(request.number("Root File-handle", "P", Namespace.ROOT));
    String path = request.text("Pathname", "N", "");
    if (root != null && !namespace.isOpen(root, path, request)) {
      return WireReply.of(request, QfsStatus.ACCESS);
    }
    Inode inode = root == null ? null : namespace.at(root, path);
    if (inode == null) {
      return WireReply.of(request, QfsStatus.NO_ENTRY);
    }
    return attributes(asked(request, "Eu", "Eg"), inode);
  }

  private static WireReply asked(WireRequest request, String user, String group) {
    WireReply reply = WireReply.of(request, 0);
    reply.number("EUserId", user, request.number("UserId", "u", 0));
    return reply.number("EGroupId", group, request.number("GroupId", "g", 0));
  }

  private static WireReply attributes(WireReply reply, Inode inode) {
    reply.number("File-handle", "P", inode.id);
    reply.text("Type", "T", inode.directory ? "dir" : "file");
    reply.number("File-size", "S", inode.directory ? inode.totalBytes() : inode.size);
    reply.number("Replication", "R", inode.replication);
    if (inode.directory) {
      reply.number("File-count", "FC", inode.count(false));
      reply.number("Dir-count", "DC", inode.count(true));
    } else {
      reply.number("Chunk-count", "C", inode.chunks.size());
    }
    reply.time("M-Time", "MT", inode.modified).time("C-Time", "CT", inode.changed);
    reply.time("CR-Time", "CR", inode.created);
    reply.number("User", "U", inode.user).number("Group", "G", inode.group);
    return reply.number("Mode", "M", inode.mode);
  }

  /** READDIR: a name a line. */
  WireReply names(WireRequest request) {
    return page(request, false);
  }

  /**
   * READDIRPLUS: names with attributes, always with short names and hexadecimal numbers; names
   * alone of a directory that may be read and not searched.
   */
  WireReply attributes(WireRequest request) {
    return page(request, true);
  }

  private WireReply page(WireRequest request, boolean plus) {
    Inode directory = namespace.get(request.required("Directory File-handle", "P"));
    if (directory == null) {
      return WireReply.of(request, QfsStatus.NO_ENTRY);
    }
    if (!directory.directory) {
      return WireReply.of(request, QfsStatus.NOT_DIRECTORY);
    }
    String start = request.text("Fname-start", "S", "");
    if (!start.isEmpty() && namespace.entry(directory, start) == null) {
      return WireReply.of(request, QfsStatus.NO_ENTRY);
    }
    if (!directory.allows(request, Inode.READ)) {
      return WireReply.of(request, QfsStatus.ACCESS);
    }
    boolean withAttributes = plus && directory.allows(request, Inode.SEARCH);
    Collection<Map.Entry<String, Inode>> entries = listed(start, directory);
    long max = request.number("Max-entries", "M", 0);
    long wanted = max <= 0 ? Long.MAX_VALUE : max;
    boolean sizeless = !request.flag("GetLastChunkInfoOnlyIfSizeUnknown", "LC");
    StringBuilder body = new StringBuilder();
    int count = 0;
    for (Map.Entry<String, Inode> entry : entries) {
      if (count == wanted || body.length() > MAX_BODY_BYTES) {
        break;
      }
      count++;
      body.append(plus ? "B\nN:" : "").append(entry.getKey()).append('\n');
      if (withAttributes) {
        append(body, entry.getValue(), sizeless);
      }
    }
    WireReply reply = WireReply.of(request, 0).number("Num-Entries", "EC", count);
    reply.flag("Has-more-entries", "EM", count < entries.size());
    return reply.body(body.toString().getBytes(StandardCharsets.UTF_8));
  }

  /** The entries after {@code start}, the directory and its parent first. */
  private Collection<Map.Entry<String, Inode>> listed(String start, Inode directory) {
    Map<String, Inode> listed = new LinkedHashMap<>();
    if (start.isEmpty()) {
      listed.put(".", directory);
      listed.put("..", namespace.entry(directory, ".."));
    } else if (start.equals(".")) {
      listed.put("..", namespace.entry(directory, ".."));
    }
    boolean fromFirst = start.isEmpty() || start.equals(".") || start.equals("..");
    SortedMap<String, Inode> rest =
        fromFirst ? directory.entries : directory.entries.tailMap(start, false);
    listed.putAll(rest);
    return listed.entrySet();
  }

  private static void append(StringBuilder body, Inode inode, boolean lastChunk) {
    line(body, "H", inode.id);
    body.append("T:").append(inode.directory ? "dir" : "file").append('\n');
    line(body, "M", inode.modified);
    if (inode.changed != inode.created) {
      line(body, "C", inode.changed);
    }
    line(body, "CR", inode.created);
    line(body, "U", inode.user);
    line(body, "G", inode.group);
    line(body, "A", inode.mode);
    if (inode.directory) {
      line(body, "S", inode.totalBytes());
      line(body, "FC", inode.count(false));
      line(body, "DC", inode.count(true));
      return;
    }
    line(body, "CC", inode.chunks.size());
    line(body, "S", inode.size);
    line(body, "R", inode.replication);
    if (!inode.chunks.isEmpty() && (lastChunk || inode.size < 0)) {
      appendLastChunk(body, inode.chunks.lastEntry().getValue());
    }
  }

  private static void appendLastChunk(StringBuilder body, MetaChunk chunk) {
    line(body, "LO", chunk.offset);
    line(body, "LH", chunk.handle);
    line(body, "LV", chunk.version);
    line(body, "LN", chunk.live().size());
    body.append("LR:");
    for (QfsChunkserver server : chunk.live()) {
      body.append(' ').append(QfsTestServer.HOST).append(' ');
      body.append(Integer.toHexString(server.port()).toUpperCase(Locale.ROOT));
    }
    body.append('\n');
  }

  private static void line(StringBuilder body, String name, long value) {
    String hex = Long.toString(value, 16).toUpperCase(Locale.ROOT);
    body.append(name).append(':').append(hex).append('\n');
  }
}
