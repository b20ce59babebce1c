package dev.sailfish.lineage.worker.block;

import dev.sailfish.ground.wire.Connection;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import java.io.IOException;

/** The way to other workers. Thread-safe. */
@FunctionalInterface
public interface Peers {
  /** Connects; waits, with a deadline. The caller closes the connection. */
  Connection connect(WorkerAddress worker) throws IOException;
}
