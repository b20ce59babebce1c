package dev.sailfish.benchmarks.jobs.storage;

import java.util.List;

/**
 * How a client process reaches a storage.
 *
 * @param kind of client, as {@code Storages} of the store's benchmarks names them
 * @param place where it is, as clients of this kind are told
 * @param classPath of the process
 * @param flags of the process's JVM
 */
public record StoragePlace(String kind, String place, String classPath, List<String> flags) {
  public StoragePlace {
    flags = List.copyOf(flags);
  }
}
