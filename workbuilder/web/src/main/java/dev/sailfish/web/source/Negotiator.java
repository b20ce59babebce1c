package dev.sailfish.web.source;

import java.io.IOException;

/** Proves at web servers who this process is. Thread-safe. */
@FunctionalInterface
public interface Negotiator {
  /**
   * What comes behind {@code Authorization: Negotiate}; each counts once. May wait.
   *
   * @param host of the server
   * @throws IOException when nothing can be proved there
   */
  String token(String host) throws IOException;
}
