package dev.sailfish.lineage.master.under;

import dev.sailfish.lineage.master.namespace.Namespace;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import java.util.concurrent.CompletableFuture;

/** The tree of the master that leads, and its journal. Thread-safe. */
public interface JournaledTree {
  /** Something that is asked of the tree. */
  @FunctionalInterface
  interface Question<T> {
    T of(Namespace namespace) throws NamespaceException;
  }

  /** Asks, under the lock of the journal's driver. */
  <T> T look(Question<T> question) throws NamespaceException;

  /**
   * Has an entry kept and applied, in the order of the calls.
   *
   * @param entry belongs to the journal from here on
   * @return fails with a {@link dev.sailfish.ground.server.RequestRefusedException} that says
   *     whether the caller is to ask again, and whom, when the journal does not take it
   */
  CompletableFuture<byte[]> submit(byte[] entry);
}
