package dev.sailfish.metaserver;

import dev.sailfish.ground.wire.Status;
import dev.sailfish.metaserver.wire.JournalEntry;
import dev.sailfish.metaserver.wire.JournalReply;
import dev.sailfish.simulator.SimulatedDisk;
import dev.sailfish.transport.RequestRefusedException;
import java.util.concurrent.CompletableFuture;

/**
 * A journal on a simulated disk: an entry is applied and answered when it is kept. What was not
 * kept when the metaserver died is lost, or is applied by the next one; nobody was told either way.
 */
final class MemoryJournal implements Journal {
  private final SimulatedDisk<JournalEntry> disk;
  private Machine machine;
  private long term;

  MemoryJournal(SimulatedDisk<JournalEntry> disk) {
    this.disk = disk;
  }

  /** Another metaserver begins. */
  void live() {
    term++;
  }

  @Override
  public void start(Machine core) {
    machine = core;
    disk.kept().forEach(core::apply);
  }

  @Override
  public CompletableFuture<JournalReply> submit(JournalEntry entry) {
    CompletableFuture<JournalReply> reply = new CompletableFuture<>();
    disk.write(entry, () -> reply.complete(machine.apply(entry)));
    return reply;
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
  public boolean hasLeader() {
    return term() != 0;
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
