package dev.sailfish.metaserver;

import dev.sailfish.ground.journal.Journal;
import dev.sailfish.simulator.SimulatedDisk;
import java.util.concurrent.CompletableFuture;

/**
 * A journal on a simulated disk: an entry is applied and answered when it is kept. What was not
 * kept when the metaserver died is lost, or is applied by the next one; nobody was told either way.
 */
final class MemoryJournal implements Journal {
  private final SimulatedDisk<SimulatedMetaserver.Kept> disk;
  private Machine machine;
  private long term;

  MemoryJournal(SimulatedDisk<SimulatedMetaserver.Kept> disk) {
    this.disk = disk;
  }

  /** Another metaserver begins. */
  void live() {
    term++;
  }

  @Override
  public void start(Machine core) {
    machine = core;
    disk.kept().forEach(kept -> core.apply(kept.entry(), kept.timeMs()));
  }

  @Override
  public CompletableFuture<byte[]> submit(byte[] entry) {
    CompletableFuture<byte[]> reply = new CompletableFuture<>();
    SimulatedMetaserver.Kept kept = new SimulatedMetaserver.Kept(entry, machine.nowMs());
    disk.write(
        kept,
        () -> {
          byte[] result = machine.apply(kept.entry(), kept.timeMs());
          machine.applied();
          reply.complete(result);
        });
    return reply;
  }

  @Override
  public CompletableFuture<Boolean> confirm() {
    return CompletableFuture.completedFuture(true);
  }

  @Override
  public CompletableFuture<byte[]> receive(int kind, byte[] message) {
    throw new IllegalStateException("a simulated metaserver has no peers");
  }

  @Override
  public long term() {
    return term;
  }

  @Override
  public boolean keepsUp() {
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
