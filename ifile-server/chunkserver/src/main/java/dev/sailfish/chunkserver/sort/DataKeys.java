package dev.sailfish.chunkserver.sort;

import dev.sailfish.ground.server.Authenticator;

/** Where the chunksorters have the keys of encrypted chunks from. Thread-safe; never waits. */
public interface DataKeys {
  /**
   * What the data of a job is encrypted with.
   *
   * @param whenAsked is told when the metaserver had to be asked, and has answered
   * @return null when the key is not here: then the metaserver is asked for it
   */
  byte[] dataKey(String job, Authenticator.Answer whenAsked);
}
