package dev.sailfish.blockstore;

import java.util.HashMap;
import java.util.Map;

/**
 * What of a directory is used, by whom, and what is warm. A file's warm bytes beyond what is used
 * of it are reclaimable ("pooled"), whether the file waits in the pool or was handed out again and
 * has not grown into them yet. Figures only; guarded by the directory's monitor.
 */
final class SpaceLedger {
  /** The part of one owner, or all of the directory. Written by the ledger alone. */
  static final class Account {
    final long limitBytes;
    long usedBytes;
    int segments;

    private Account(long limitBytes) {
      this.limitBytes = limitBytes;
    }

    /** What can still be used, in bytes; below 0 after a recovery of more than the limit. */
    long leftBytes() {
      return limitBytes - usedBytes;
    }
  }

  private final Account total;
  private final Map<String, Account> accounts = new HashMap<>();
  private long pooledBytes;

  SpaceLedger(long capacityBytes) {
    total = new Account(capacityBytes);
  }

  void open(String owner, long limitBytes) {
    accounts.put(owner, new Account(limitBytes));
  }

  /** Null for one who is not in this process. */
  Account account(String owner) {
    return accounts.get(owner);
  }

  /** Of all owners, with files of those that are not in this process. */
  Account total() {
    return total;
  }

  long pooledBytes() {
    return pooledBytes;
  }

  /** What can still be promised to the account, pooled bytes included. */
  long freeBytes(Account account) {
    return Math.max(0, Math.min(total.leftBytes(), account.leftBytes()));
  }

  /** How many bytes are neither used nor pooled; negative when more than the capacity is. */
  long unaccountedBytes() {
    return total.leftBytes() - pooledBytes;
  }

  /** Counts files of owners that are not in this process; they stay. */
  void addForeign(long bytes) {
    total.usedBytes += bytes;
  }

  /** From now on the file counts among what the owner uses. */
  void assign(BackingFile file, String owner) {
    file.account = accounts.get(owner);
    file.account.segments++;
    total.segments++;
  }

  /** The file counts among nobody's. */
  void unassign(BackingFile file) {
    file.account.segments--;
    file.former = file.account;
    file.account = null;
    total.segments--;
  }

  void set(BackingFile file, long used, long warm) {
    total.usedBytes += used - file.used;
    if (file.account != null) {
      file.account.usedBytes += used - file.used;
    }
    pooledBytes -= spare(file);
    file.used = used;
    file.warm = warm;
    pooledBytes += spare(file);
  }

  static long spare(BackingFile file) {
    return Math.max(0, file.warm - file.used);
  }
}
