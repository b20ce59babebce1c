package dev.sailfish.chunkserver;

import dev.sailfish.protocol.RemoteException;
import dev.sailfish.protocol.client.Network;
import dev.sailfish.protocol.wire.HeartbeatRequest;
import dev.sailfish.protocol.wire.HeartbeatResponse;
import dev.sailfish.protocol.wire.RegisterChunkserverRequest;
import dev.sailfish.protocol.wire.RegisterChunkserverResponse;
import java.io.Closeable;
import java.io.IOException;

/** The way to the metaserver. Used by one thread. */
interface MetaserverLink extends Closeable {
  /** Opens links; each is used until it fails. */
  interface Factory {
    /**
     * Connects.
     *
     * @throws IOException when the metaserver cannot be reached
     */
    MetaserverLink open() throws IOException;

    /** What the links go over; also the clock of the waits between them. */
    default Network network() {
      return Network.SOCKETS;
    }
  }

  /**
   * Tells the metaserver who is here and with which chunks.
   *
   * @throws IOException when it refuses or is gone
   */
  RegisterChunkserverResponse register(RegisterChunkserverRequest request) throws IOException;

  /**
   * Reports what changed and waits for commands, as long as the request allows.
   *
   * @throws IOException when it refuses or is gone
   */
  HeartbeatResponse heartbeat(HeartbeatRequest request) throws IOException;

  /**
   * The key that a job is bound to.
   *
   * @throws RemoteException JOB_UNKNOWN when the job has ended or is not bound
   * @throws IOException when the metaserver is gone, or the answer is not from it
   */
  byte[] jobKey(String job) throws IOException;

  /** Ends the link; a call that waits in it fails. */
  @Override
  void close() throws IOException;
}
