package dev.sailfish.hadoop.warm;

import java.util.Map;
import java.util.Set;

/**
 * What an attempt may leave in its process, at one moment.
 *
 * @param threads all that live
 * @param hooks what runs when the process ends
 * @param factories by name, what stands for each factory that can be set once per process only
 * @param openFiles sockets, pipes and files that are open, but for jars
 * @param nativeLibraries that the classes of the attempt's user have loaded
 * @param poolWorks whether the pool that all of a JVM share has something to do
 */
record ProcessFacts(
    Set<LiveThread> threads,
    Set<Hook> hooks,
    Map<String, Integer> factories,
    int openFiles,
    int nativeLibraries,
    boolean poolWorks) {

  /**
   * A thread.
   *
   * @param id the JVM's
   * @param ofUser whether it, or what it runs, is of a class of the user's
   */
  record LiveThread(long id, String name, boolean ofUser) {}

  /**
   * What runs when the process ends.
   *
   * @param identity tells it from others of its class
   * @param type the class of what runs
   * @param ofUser whether that is a class of the user's
   */
  record Hook(int identity, String type, boolean ofUser) {}
}
