package dev.sailfish.metaserver;

import dev.sailfish.metaserver.wire.JournalEntry;
import dev.sailfish.metaserver.wire.JournalReply;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.transport.RequestRefusedException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A journal that outlives simulated metaservers: an entry is kept some time after it was submitted,
 * and applied and answered then. What was not kept when the metaserver died is lost, or was kept
 * all the same and is applied by the next one; nobody was told either way.
 */
final class MemoryJournal implements Journal {
  private record Pending(JournalEntry entry, CompletableFuture<JournalReply> reply) {}

  private final List<JournalEntry> kept = new ArrayList<>();
  private final ArrayDeque<Pending> pending = new ArrayDeque<>();
  private Consumer<Runnable> later;
  private Machine machine;
  private long term;

  /** Begins another life; {@code soon} does what it is given a while later, in order. */
  void live(Consumer<Runnable> soon) {
    later = soon;
    term++;
  }

  /**
   * The metaserver has died.
   *
   * @param written how many of the entries that were not answered are kept, at most
   */
  void died(int written) {
    for (int i = 0; i < written && !pending.isEmpty(); i++) {
      kept.add(pending.remove().entry());
    }
    pending.clear();
  }

  /** All that was kept is gone. */
  void lose() {
    kept.clear();
  }

  /** How many entries have no answer yet. */
  int unanswered() {
    return pending.size();
  }

  @Override
  public void start(Machine core) {
    machine = core;
    for (JournalEntry entry : kept) {
      core.apply(entry);
    }
  }

  @Override
  public CompletableFuture<JournalReply> submit(JournalEntry entry) {
    CompletableFuture<JournalReply> reply = new CompletableFuture<>();
    pending.add(new Pending(entry, reply));
    later.accept(this::keepNext);
    return reply;
  }

  private void keepNext() {
    Pending next = pending.remove();
    kept.add(next.entry());
    next.reply().complete(machine.apply(next.entry()));
  }

  @Override
  public CompletableFuture<Boolean> confirm() {
    return CompletableFuture.completedFuture(true);
  }

  @Override
  public CompletableFuture<byte[]> receive(int kind, byte[] message)
      throws RequestRefusedException {
    throw new RequestRefusedException(Status.BAD_REQUEST, "a simulated metaserver has no peers");
  }

  @Override
  public long term() {
    return term;
  }

  @Override
  public boolean hasPeers() {
    return false;
  }

  @Override
  public void close() {
    // A simulated process does not close, it dies.
  }
}
