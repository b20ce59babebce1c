package dev.sailfish.benchmarks.store.qfs;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/** A client that brings a file to a QFS and back. For one thread. */
interface Transfer extends Closeable {
  /** What reports call it. */
  String name();

  /**
   * Writes the bytes of a local file to a new one, and waits until all copies have them.
   *
   * @param to absolute path in the QFS
   */
  void in(Path from, String to) throws IOException;

  /**
   * Reads all of a file, into nothing.
   *
   * @param from absolute path in the QFS
   */
  void out(String from) throws IOException;

  @Override
  default void close() throws IOException {}
}
