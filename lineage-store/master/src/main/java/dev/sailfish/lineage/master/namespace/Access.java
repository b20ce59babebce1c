package dev.sailfish.lineage.master.namespace;

import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import dev.sailfish.lineage.master.table.InodeTable;

/** POSIX permissions: who may do what with a file or directory. */
final class Access {
  static final int READ = 4;
  static final int WRITE = 2;
  static final int EXECUTE = 1;
  private static final int STICKY = 01000;

  private final InodeTable inodes;
  private final Principals principals;

  Access(InodeTable inodes, Principals principals) {
    this.inodes = inodes;
    this.principals = principals;
  }

  boolean isOwner(Caller caller, int slot) {
    return caller.isSuperuser() || principals.name(inodes.owner(slot)).equals(caller.user());
  }

  boolean permits(Caller caller, int slot, int bits) {
    int shift;
    if (caller.isSuperuser()) {
      return true;
    } else if (isOwner(caller, slot)) {
      shift = 6;
    } else if (caller.groups().contains(principals.name(inodes.group(slot)))) {
      shift = 3;
    } else {
      shift = 0;
    }
    return (inodes.mode(slot) >>> shift & bits) == bits;
  }

  /** Whether a directory lets a caller who may write in it remove or rename this entry. */
  boolean permitsRemoval(Caller caller, int directory, int slot) {
    boolean isSticky = (inodes.mode(directory) & STICKY) != 0;
    return !isSticky || isOwner(caller, directory) || isOwner(caller, slot);
  }

  /**
   * What a caller is told who may not.
   *
   * @param what for instance "write in"
   */
  NamespaceException denied(Caller caller, String what, String path, int slot) {
    return new NamespaceException(
        Reason.DENIED,
        "%s may not %s %s: owner=%s group=%s mode=%s"
            .formatted(
                caller.user(),
                what,
                path,
                principals.name(inodes.owner(slot)),
                principals.name(inodes.group(slot)),
                text(inodes.mode(slot))));
  }

  private static String text(int mode) {
    StringBuilder text = new StringBuilder();
    for (int bit = 8; bit >= 0; bit--) {
      boolean isSet = (mode >>> bit & 1) != 0;
      text.append(isSet ? "xwr".charAt(bit % 3) : '-');
    }
    if ((mode & STICKY) != 0) {
      text.setCharAt(8, text.charAt(8) == 'x' ? 't' : 'T');
    }
    return text.toString();
  }
}
