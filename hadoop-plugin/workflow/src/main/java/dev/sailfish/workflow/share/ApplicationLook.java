package dev.sailfish.workflow.share;

/**
 * An application of YARN that has not ended.
 *
 * @param id as YARN writes it
 * @param user whose it is
 * @param priority the higher, the more important
 * @param containers how many it has, its ApplicationMaster's counted
 * @param memoryMb what they have together
 */
public record ApplicationLook(
    String id, String user, String queue, int priority, int containers, long memoryMb) {
  /** What one of its containers has, on average. */
  public long memoryPerContainerMb() {
    return containers == 0 ? memoryMb : memoryMb / containers;
  }
}
