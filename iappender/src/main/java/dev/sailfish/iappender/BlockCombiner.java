package dev.sailfish.iappender;

import java.io.IOException;

/**
 * Reduces the sorted records of one partition's buffer to fewer records with the same meaning.
 *
 * <p>Called on the appending thread, from inside {@link Iappender#endRecord} and {@link
 * Iappender#commit}, whenever a buffer is full and once more for what is left at the end: for any
 * record not at all, once or several times, also on records that it wrote itself. One call at a
 * time, never from inside itself.
 *
 * <p>Records come in key order, those with equal keys in the order of emission. An adapter of an
 * engine with serializers opens these on {@link Iappender#output} as for the records of the map
 * task itself (no record of the task is open during the call), and writes each result with {@link
 * CombinedOutput#startRecord}, the key, {@link CombinedOutput#endKey}, the value, {@link
 * CombinedOutput#endRecord}.
 */
public interface BlockCombiner {
  /**
   * Reads the records and writes what is to be kept of them. Records that are not read are dropped.
   * When it throws, the attempt cannot be committed any more.
   *
   * @param sorted the records; valid during the call
   * @param combined takes the results, which go to the same partition; valid during the call
   */
  void combine(SortedRecords sorted, CombinedOutput combined) throws IOException;
}
