package dev.sailfish.lineage.qfs.wire;

import java.util.HashMap;
import java.util.Map;

/** Why a server of QFS refuses: one constant per code that a client can do something about. */
public enum QfsError {
  /** The caller is not the owner, or not the super-user. */
  EPERM(1, "operation not permitted"),
  /** No such file, directory or chunk. */
  ENOENT(2, "no such file or directory"),
  /** A disk or a server below failed. */
  EIO(5, "input or output error"),
  /** No chunk of that id on this server. */
  EBADF(9, "no such chunk on this server"),
  /** Not now: the chunk is being written, or a server that is needed is not there yet. */
  EAGAIN(11, "try again later"),
  /** The server has no memory for that. */
  ENOMEM(12, "out of memory, or too large a request"),
  /** The permissions do not allow it. */
  EACCES(13, "permission denied"),
  /** An argument that cannot be right. */
  EFAULT(14, "bad argument"),
  /** Somebody else uses it. */
  EBUSY(16, "busy"),
  /** There is one already. */
  EEXIST(17, "already exists"),
  /** The peer is no such device. */
  ENXIO(6, "no such server"),
  /** A part of the path is a file. */
  ENOTDIR(20, "not a directory"),
  /** A file was expected. */
  EISDIR(21, "is a directory"),
  /** A request that the server does not understand or allow. */
  EINVAL(22, "invalid argument"),
  /** Longer than a file may be. */
  EFBIG(27, "file too large"),
  /** No room: on the disks, or in this chunk. */
  ENOSPC(28, "no space left"),
  /** The file system is read only. */
  EROFS(30, "read only"),
  /** A name is too long. */
  ENAMETOOLONG(36, "name too long"),
  /** The server does not know the operation. */
  ENOSYS(38, "not implemented by this server"),
  /** The directory has entries. */
  ENOTEMPTY(39, "directory not empty"),
  /** The server waited too long. */
  ETIMEDOUT(110, "timed out"),
  /** A server could not reach another one. */
  EHOSTUNREACH(113, "host unreachable"),
  /** Over quota. */
  EDQUOT(122, "over quota"),
  /** The operation was cancelled. */
  ECANCELED(125, "cancelled"),
  /** The chunk has another version there: that replica is old, or the client's knowledge is. */
  EBADVERS(1000, "another version of the chunk"),
  /** A lease is over: another client may write. */
  ELEASEEXPIRED(1001, "lease expired"),
  /** Bytes and checksum differ. */
  EBADCKSUM(1002, "checksum mismatch"),
  /** No data is on this server. */
  EDATAUNAVAIL(1003, "data unavailable"),
  /** The server has too much to do. */
  ESERVERBUSY(1004, "server busy"),
  /** A chunk could not be made on its servers. */
  EALLOCFAILED(1005, "chunk could not be allocated"),
  /** The metaserver could not write its log: it does not lead any more, or will not soon. */
  ELOGFAILED(1008, "the metaserver's log failed"),
  /** Another metaserver leads. */
  ENOTPRIMARY(1009, "this metaserver does not lead"),
  /** Another metaserver leads, and this one follows it. */
  EBACKUP(1010, "this metaserver follows another one"),
  /** Any code that is not listed. */
  OTHER(0, "error");

  private static final Map<Integer, QfsError> BY_CODE = new HashMap<>();

  static {
    for (QfsError error : values()) {
      BY_CODE.put(error.code, error);
    }
  }

  private final int code;
  private final String meaning;

  QfsError(int code, String meaning) {
    this.code = code;
    this.meaning = meaning;
  }

  /**
   * The error that a reply's status says.
   *
   * @param status below zero
   */
  public static QfsError of(int status) {
    return BY_CODE.getOrDefault(-status, OTHER);
  }

  /** As on the wire, without its sign. */
  public int code() {
    return code;
  }

  /** In words. */
  public String meaning() {
    return meaning;
  }

  /** Whether another metaserver is to be asked the same. */
  public boolean isElsewhere() {
    return this == ELOGFAILED || this == ENOTPRIMARY || this == EBACKUP;
  }

  /** Whether the same request may succeed a little later without anybody doing anything. */
  public boolean mayPass() {
    return this == EAGAIN
        || this == EBUSY
        || this == ESERVERBUSY
        || this == ETIMEDOUT
        || this == EALLOCFAILED
        || this == EHOSTUNREACH;
  }
}
