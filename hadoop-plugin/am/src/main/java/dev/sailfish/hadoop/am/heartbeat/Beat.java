package dev.sailfish.hadoop.am.heartbeat;

/** Why the allocator does what it does with each heartbeat, by the thread that has it do so. */
public enum Beat {
  /** Its own thread's. */
  REGULAR,
  /** One in between, for the sake of a sooner answer of the ResourceManager. */
  EARLY,
  /** One that does not go to the ResourceManager. */
  LOCAL;

  private static final ThreadLocal<Beat> CURRENT = ThreadLocal.withInitial(() -> REGULAR);

  /** Of the calling thread. */
  public static Beat current() {
    return CURRENT.get();
  }

  /** From now on all beats of the calling thread are of this kind. */
  public void begin() {
    CURRENT.set(this);
  }
}
