package dev.sailfish.lineage.master.namespace;

import dev.sailfish.lineage.master.table.InodeTable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * How room and memory are used: what operators and owners of files say of that.
 *
 * @param quotas how much may be in which directories
 * @param expiries which files go at which time
 * @param pins what stays in memory
 * @param holders who holds what, and is to hold it no more
 */
public record Uses(Quotas quotas, Expiries expiries, Pins pins, Holders holders) {
  static Uses of(
      Tree tree, Principals principals, Blocks blocks, MountedTree mounted, Writers writers) {
    InodeTable inodes = tree.inodes();
    return new Uses(
        tree.quotas(),
        new Expiries(tree, inodes, mounted),
        new Pins(tree, inodes),
        new Holders(inodes, principals, blocks, mounted, writers));
  }

  /** The slot is about to be free. */
  void forget(int slot) {
    quotas.forget(slot);
    expiries.forget(slot);
    pins.forget(slot);
  }

  /** Writes { quotas, as Quotas.write says times to live, as Expiries.write says }. */
  void write(DataOutputStream out) throws IOException {
    quotas.write(out);
    expiries.write(out);
  }

  void read(DataInputStream in) throws IOException {
    quotas.read(in);
    expiries.read(in);
  }
}
