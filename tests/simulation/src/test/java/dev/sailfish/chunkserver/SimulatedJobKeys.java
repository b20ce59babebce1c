package dev.sailfish.chunkserver;

import dev.sailfish.chunkserver.sort.DataKeys;
import dev.sailfish.ground.server.Authenticator;

/** {@link JobKeys} without its thread: somebody else has it ask when there are questions. */
final class SimulatedJobKeys implements Authenticator, DataKeys {
  private final JobKeys keys;
  private final Runnable wake;

  /**
   * @param keys never started
   * @param wake called when there may be a question
   */
  SimulatedJobKeys(JobKeys keys, Runnable wake) {
    this.keys = keys;
    this.wake = wake;
  }

  @Override
  public void find(String name, byte[] keyId, Answer answer) {
    keys.find(name, keyId, answer);
    wake.run();
  }

  @Override
  public void introduce(Introduced introduced, Answer answer) {
    keys.introduce(introduced, answer);
  }

  @Override
  public byte[] dataKey(String job, Answer whenAsked) {
    byte[] key = keys.dataKey(job, whenAsked);
    wake.run();
    return key;
  }

  void forget(String job) {
    keys.forget(job);
  }

  boolean hasQuestions() {
    return keys.hasQuestions();
  }

  void ask() {
    keys.ask();
  }
}
