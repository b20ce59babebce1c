package dev.sailfish.ground.wire.tls;

import java.io.IOException;

/** What Hadoop's ssl-server.xml or ssl-client.xml says, wherever it was read from. */
public interface SslSettings {
  /**
   * One value.
   *
   * @param key as Hadoop has it, for instance {@code ssl.client.truststore.location}
   * @return without white space around it; null or empty when it is not set
   */
  String get(String key) throws IOException;
}
