/**
 * What storage does for one client process: {@link dev.sailfish.benchmarks.store.StoreClientMain}
 * runs one kind of work in a JVM of its own and prints how fast it was.
 */
package dev.sailfish.benchmarks.store;
