package dev.sailfish.testkit.qfs;

import java.util.List;

/** The metaserver's operations that change names and attributes. */
final class MetaNames {
  private static final int DIRECTORY_MODE = 0755;
  private static final int FILE_MODE = 0644;
  private static final int MAX_REPLICATION = 64;

  private final Namespace namespace;
  private final ChunkMap chunks;

  MetaNames(Namespace namespace, ChunkMap chunks) {
    this.namespace = namespace;
    this.chunks = chunks;
  }

  WireReply create(WireRequest request) {
    Inode parent = namespace.get(request.required("Parent File-handle", "P"));
    String name = request.text("Filename", "N", "");
    int refused = refusesChange(request, parent);
    if (refused == 0 && !Namespace.isLegal(name)) {
      refused = QfsStatus.INVALID;
    }
    if (refused != 0) {
      return acknowledged(request, refused, "CR");
    }
    Inode old = parent.entries.get(name);
    if (old != null && !parent.allows(request, Inode.SEARCH)) {
      return acknowledged(request, QfsStatus.ACCESS, "CR");
    }
    if (old != null && old.directory) {
      return acknowledged(request, QfsStatus.IS_DIRECTORY, "CR");
    }
    if (old != null && request.flag("Exclusive", "E")) {
      return acknowledged(request, QfsStatus.EXISTS, "CR");
    }
    if (old != null) {
      drop(old);
    }
    Inode file = namespace.add(parent, name, false);
    long replicas = request.number("Num-replicas", "R", 1);
    file.replication = (int) Math.max(1, Math.min(MAX_REPLICATION, replicas));
    own(request, file, FILE_MODE);
    WireReply reply = acknowledged(request, 0, "CR").number("File-handle", "P", file.id);
    return owner(reply.number("Num-replicas", "R", file.replication), file);
  }

  WireReply makeDirectory(WireRequest request) {
    Inode parent = namespace.get(request.required("Parent File-handle", "P"));
    String name = request.text("Directory", "N", "");
    int refused = refusesChange(request, parent);
    if (refused == 0 && !Namespace.isLegal(name)) {
      refused = QfsStatus.INVALID;
    }
    if (refused == 0 && parent.entries.containsKey(name)) {
      refused = QfsStatus.EXISTS;
    }
    if (refused != 0) {
      return acknowledged(request, refused, "MD");
    }
    Inode directory = namespace.add(parent, name, true);
    directory.replication = 1;
    own(request, directory, DIRECTORY_MODE);
    return owner(
        acknowledged(request, 0, "MD").number("File-handle", "P", directory.id), directory);
  }

  /** REMOVE of a file or RMDIR of an empty directory. */
  WireReply remove(WireRequest request, boolean directory) {
    String kind = directory ? "RD" : "RM";
    Inode parent = namespace.get(request.required("Parent File-handle", "P"));
    String name = request.text(directory ? "Directory" : "Filename", "N", "");
    int refused = refusesChange(request, parent);
    Inode inode = refused == 0 ? parent.entries.get(name) : null;
    if (refused == 0 && inode == null) {
      refused = QfsStatus.NO_ENTRY;
    } else if (refused == 0 && !parent.allows(request, Inode.SEARCH)) {
      refused = QfsStatus.ACCESS;
    } else if (refused == 0 && directory && !inode.directory) {
      refused = QfsStatus.NOT_DIRECTORY;
    } else if (refused == 0 && !directory && inode.directory) {
      refused = QfsStatus.IS_DIRECTORY;
    } else if (refused == 0 && !inode.entries.isEmpty()) {
      refused = QfsStatus.NOT_EMPTY;
    }
    if (refused == 0) {
      drop(inode);
    }
    return acknowledged(request, refused, kind);
  }

  WireReply rename(WireRequest request) {
    return acknowledged(request, renamed(request), "RN");
  }

  private int renamed(WireRequest request) {
    Inode parent = namespace.get(request.required("Parent File-handle", "P"));
    int refused = refusesChange(request, parent);
    if (refused != 0) {
      return refused;
    }
    Inode source = parent.entries.get(request.text("Old-name", "O", ""));
    if (source == null) {
      return QfsStatus.NO_ENTRY;
    }
    String path = request.text("New-path", "N", "");
    if (!parent.allows(request, Inode.SEARCH) || !namespace.isOpen(parent, path, request)) {
      return QfsStatus.ACCESS;
    }
    int slash = path.lastIndexOf('/');
    Inode target = slash < 0 ? parent : namespace.at(parent, path.substring(0, slash) + "/");
    String name = path.substring(slash + 1);
    refused = refusesChange(request, target);
    if (refused == 0 && !Namespace.isLegal(name)) {
      refused = QfsStatus.INVALID;
    }
    if (refused != 0) {
      return refused;
    }
    Inode there = target.entries.get(name);
    if (there == source) {
      return 0;
    }
    refused = refusesReplace(source, there, request.flag("Overwrite", "W"));
    if (refused == 0 && source.directory && target.isBelow(source)) {
      refused = QfsStatus.INVALID;
    }
    if (refused == 0) {
      if (there != null) {
        drop(there);
      }
      namespace.move(source, target, name);
    }
    return refused;
  }

  private static int refusesReplace(Inode source, Inode there, boolean overwrite) {
    if (there == null) {
      return 0;
    }
    if (!overwrite) {
      return QfsStatus.EXISTS;
    }
    if (there.directory != source.directory) {
      return source.directory ? QfsStatus.NOT_DIRECTORY : QfsStatus.IS_DIRECTORY;
    }
    return there.entries.isEmpty() ? 0 : QfsStatus.NOT_EMPTY;
  }

  WireReply setMode(WireRequest request) {
    Inode inode = namespace.get(request.required("File-handle", "P"));
    if (inode == null) {
      return WireReply.of(request, QfsStatus.NO_ENTRY);
    }
    if (refusesOwnersChange(request, inode)) {
      return WireReply.of(request, QfsStatus.ACCESS);
    }
    inode.mode = (int) request.required("Mode", "M");
    inode.changed = namespace.nowMicros();
    return WireReply.of(request, 0);
  }

  WireReply setOwner(WireRequest request) {
    Inode inode = namespace.get(request.required("File-handle", "P"));
    if (inode == null) {
      return WireReply.of(request, QfsStatus.NO_ENTRY);
    }
    if (refusesOwnersChange(request, inode)) {
      return WireReply.of(request, QfsStatus.ACCESS);
    }
    inode.user = (int) request.number("Owner", "O", inode.user);
    inode.group = (int) request.number("Group", "G", inode.group);
    inode.changed = namespace.nowMicros();
    WireReply reply = WireReply.of(request, 0).number("User", "U", inode.user);
    return reply.number("Group", "G", inode.group);
  }

  WireReply setModified(WireRequest request) {
    String path = request.text("Pathname", "N", "");
    Inode inode = namespace.at(namespace.get(Namespace.ROOT), path);
    if (inode == null) {
      return WireReply.of(request, QfsStatus.NO_ENTRY);
    }
    long seconds = request.number("Mtime-sec", "S", 0);
    inode.modified = seconds * 1_000_000 + request.number("Mtime-usec", "U", 0);
    return WireReply.of(request, 0);
  }

  WireReply setReplication(WireRequest request) {
    Inode inode = namespace.get(request.required("File-handle", "P"));
    long replicas = request.required("Num-replicas", "R");
    int status = inode == null ? QfsStatus.NO_ENTRY : 0;
    if (status == 0 && inode.directory) {
      status = QfsStatus.IS_DIRECTORY;
    }
    if (status == 0 && replicas < 1) {
      status = QfsStatus.INVALID;
    }
    if (status == 0) {
      inode.replication = (int) Math.min(MAX_REPLICATION, replicas);
      replicas = inode.replication;
    }
    return WireReply.of(request, status).number("Num-replicas", "R", replicas);
  }

  private static boolean refusesOwnersChange(WireRequest request, Inode inode) {
    long user = request.number("UserId", "u", 0);
    return user != 0 && user != inode.user;
  }

  private static int refusesChange(WireRequest request, Inode directory) {
    if (directory == null) {
      return QfsStatus.NO_ENTRY;
    }
    if (!directory.directory) {
      return QfsStatus.NOT_DIRECTORY;
    }
    return directory.allows(request, Inode.WRITE) ? 0 : QfsStatus.ACCESS;
  }

  private void drop(Inode inode) {
    List.copyOf(inode.chunks.values()).forEach(chunks::remove);
    namespace.remove(inode);
  }

  private static void own(WireRequest request, Inode inode, int mode) {
    inode.user = (int) request.number("Owner", "O", request.number("UserId", "u", 0));
    inode.group = (int) request.number("Group", "G", request.number("GroupId", "g", 0));
    inode.mode = (int) request.number("Mode", "M", mode);
  }

  private static WireReply owner(WireReply reply, Inode inode) {
    reply.number("User", "u", inode.user).number("Group", "g", inode.group);
    return reply.number("Mode", "M", inode.mode);
  }

  /** The head of an answer to what must not be done twice: a request id is answered with it. */
  private static WireReply acknowledged(WireRequest request, int status, String kind) {
    WireReply reply = WireReply.of(request, status);
    if (request.has("Rid", "r")) {
      reply.text("Ack", "a", Long.toHexString(request.number("Rid", "r", 0)) + " " + kind);
    }
    return reply;
  }
}
