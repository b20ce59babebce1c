package dev.sailfish.lineage.master.dependency;

/**
 * Which part of a program's work makes a file, and which of that part's files it is.
 *
 * @param isMap whether a map makes it, of a job with reducers
 * @param index the number of the part, such as a task
 * @param file how many files the part has created before it
 */
public record Part(boolean isMap, int index, int file) {
  /** The first file of a part. */
  public static Part of(int index) {
    return new Part(false, index, 0);
  }
}
