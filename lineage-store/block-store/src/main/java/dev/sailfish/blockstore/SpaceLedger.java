package dev.sailfish.blockstore;

import java.util.HashMap;
import java.util.Map;

/**
 * What of a directory is used, by whom, and what is warm. A file's bytes below {@code promised}, or
 * below {@code claimed} if that is more, are used; its warm bytes beyond that are reclaimable
 * ("pooled"), whether the file waits in the pool or was handed out again and has not grown into
 * them yet. Figures only; guarded by the directory's monitor.
 */
final class SpaceLedger {
  /** One owner's part. */
  static final class Account {
    private final long limitBytes;
    private long usedBytes;
    private int segments;

    private Account(long limitBytes) {
      this.limitBytes = limitBytes;
    }

    long limitBytes() {
      return limitBytes;
    }

    long usedBytes() {
      return usedBytes;
    }

    int segments() {
      return segments;
    }
  }

  private final long capacityBytes;
  private final Map<String, Account> accounts = new HashMap<>();
  private long usedBytes;
  private long pooledBytes;

  SpaceLedger(long capacityBytes) {
    this.capacityBytes = capacityBytes;
  }

  void open(String owner, long limitBytes) {
    accounts.put(owner, new Account(limitBytes));
  }

  /** Null for one who is not in this process. */
  Account account(String owner) {
    return accounts.get(owner);
  }

  long capacityBytes() {
    return capacityBytes;
  }

  long usedBytes() {
    return usedBytes;
  }

  long pooledBytes() {
    return pooledBytes;
  }

  boolean isOverfull() {
    return usedBytes + pooledBytes > capacityBytes;
  }

  /** What can still be promised, pooled bytes included; to the owner of the account, if given. */
  long freeBytes(Account account) {
    long free = capacityBytes - usedBytes;
    return Math.max(
        0, account == null ? free : Math.min(free, account.limitBytes - account.usedBytes));
  }

  /** Counts files of owners that are not in this process; they stay. */
  void addForeign(long bytes) {
    usedBytes += bytes;
  }

  /** Whether the file's owner may use [0, target) of it. */
  boolean isWithinLimit(BackingFile file, long target) {
    Account account = file.account;
    return target - used(file) <= account.limitBytes - account.usedBytes;
  }

  /** How many pages [0, target) has that are not accounted for, in bytes. */
  static long fresh(BackingFile file, long target) {
    return Math.max(0, target - Math.max(file.warm, file.claimed));
  }

  /** How many pooled bytes must go before {@code bytes} more can be used; not positive for none. */
  long missing(long bytes) {
    return bytes - (capacityBytes - usedBytes - pooledBytes);
  }

  /** From now on the file counts among what the owner uses. */
  void assign(BackingFile file, String owner) {
    file.account = accounts.get(owner);
    file.account.segments++;
  }

  /** Whoever used it does not any more. */
  void unassign(BackingFile file) {
    if (file.account != null) {
      file.account.segments--;
      file.account = null;
    }
  }

  void set(BackingFile file, long promised, long warm) {
    set(file, promised, file.claimed, warm);
  }

  void set(BackingFile file, long promised, long claimed, long warm) {
    pooledBytes -= spare(file);
    use(file, -used(file));
    file.promised = promised;
    file.claimed = claimed;
    file.warm = warm;
    use(file, used(file));
    pooledBytes += spare(file);
  }

  private void use(BackingFile file, long bytes) {
    usedBytes += bytes;
    if (file.account != null) {
      file.account.usedBytes += bytes;
    }
  }

  static long used(BackingFile file) {
    return Math.max(file.promised, file.claimed);
  }

  static long spare(BackingFile file) {
    return Math.max(0, file.warm - used(file));
  }
}
