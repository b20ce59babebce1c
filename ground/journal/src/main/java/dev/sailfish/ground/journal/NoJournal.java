package dev.sailfish.ground.journal;

import java.util.concurrent.CompletableFuture;

/** Keeps nothing: changes are made at once, and are gone when the process ends. */
final class NoJournal implements Journal {
  private Machine machine;

  @Override
  public void start(Machine applied) {
    machine = applied;
  }

  @Override
  public CompletableFuture<byte[]> submit(byte[] entry) {
    byte[] reply;
    synchronized (this) {
      reply = machine.apply(entry, machine.nowMs());
    }
    machine.applied();
    return CompletableFuture.completedFuture(reply);
  }

  @Override
  public CompletableFuture<Boolean> confirm() {
    return CompletableFuture.completedFuture(true);
  }

  @Override
  public CompletableFuture<byte[]> receive(int kind, byte[] message) {
    return CompletableFuture.failedFuture(
        new JournalException(
            JournalException.Reason.BAD_REQUEST, "no journal is kept here, so there are no peers"));
  }

  @Override
  public long term() {
    return 1;
  }

  @Override
  public boolean keepsUp() {
    return true;
  }

  @Override
  public boolean hasPeers() {
    return false;
  }

  @Override
  public void close() {
    // There is nothing to stop.
  }
}
