package dev.sailfish.lineage.client.block;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import java.io.Closeable;
import java.io.IOException;

/** A connection to a worker for as long as somebody has this object. For one thread. */
final class WorkerCall implements Closeable {
  private final WorkerConnections connections;
  private final WorkerAddress worker;
  private final Connection connection;

  WorkerCall(WorkerConnections connections, WorkerAddress worker) throws IOException {
    this.connections = connections;
    this.worker = worker;
    this.connection = connections.take(worker);
  }

  WorkerAddress worker() {
    return worker;
  }

  Connection connection() {
    return connection;
  }

  /**
   * Asks, and waits for the answer.
   *
   * @throws RemoteException when the worker refuses
   */
  <Q extends MessageLite, A extends MessageLite> A ask(
      Operation<Q, A> operation, Q request, Parser<A> parser) throws IOException {
    return connection.call(operation, request, parser);
  }

  @Override
  public void close() {
    connections.giveBack(worker, connection);
  }
}
