package dev.sailfish.metaserver;

import dev.sailfish.ground.wire.Status;
import dev.sailfish.metaserver.wire.JournalEntry;
import dev.sailfish.metaserver.wire.JournalReply;
import dev.sailfish.transport.RequestRefusedException;
import java.util.concurrent.CompletableFuture;

/** Keeps nothing: changes are made at once, and are gone when the process ends. */
final class NoJournal implements Journal {
  private Machine machine;

  @Override
  public void start(Machine core) {
    machine = core;
  }

  @Override
  public synchronized CompletableFuture<JournalReply> submit(JournalEntry entry) {
    return CompletableFuture.completedFuture(machine.apply(entry));
  }

  @Override
  public CompletableFuture<Boolean> confirm() {
    return CompletableFuture.completedFuture(true);
  }

  @Override
  public CompletableFuture<byte[]> receive(int kind, byte[] message)
      throws RequestRefusedException {
    throw new RequestRefusedException(
        Status.BAD_REQUEST, "this metaserver keeps no journal, so it has no peers");
  }

  @Override
  public long term() {
    return 1;
  }

  @Override
  public boolean hasLeader() {
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
