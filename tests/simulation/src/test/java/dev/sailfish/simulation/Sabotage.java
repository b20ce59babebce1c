package dev.sailfish.simulation;

import dev.sailfish.ground.server.Authenticator;
import dev.sailfish.ground.server.RequestHandler;
import java.io.IOException;

/** Something broken on purpose, to see the invariants fail. */
interface Sabotage {
  /** Nothing is broken. */
  Sabotage NONE = new Sabotage() {};

  /** Takes the place of a chunkserver's handler. */
  default RequestHandler chunkserver(RequestHandler handler) {
    return handler;
  }

  /** Takes the place of what knows who may connect to a server. */
  default Authenticator authenticator(Authenticator authenticator) {
    return authenticator;
  }

  /** What a combiner makes of a sum. */
  default long combined(long sum) {
    return sum;
  }

  /** Whether a map forgets to emit a record. */
  default boolean forgets(Input.Record record) {
    return false;
  }

  /** Whether waits for the network last until something comes, whatever their deadlines. */
  default boolean waitsEndlessly() {
    return false;
  }

  /** Called after each event, before anybody looks. */
  default void afterEach(Cluster cluster) throws IOException {}
}
