package dev.sailfish.ground.wire;

import dev.sailfish.ground.wire.message.Introduction;

/**
 * Why a job is to be admitted, when it is no application that the ResourceManager knows. Called
 * only when a job is introduced, so that tasks load nothing of it before. Thread-safe.
 */
public interface Evidence {
  /**
   * Adds what speaks for the job to the introduction; only servers that admit jobs can read that.
   *
   * @param job the job's name
   * @param introduction has the task key already
   * @throws IllegalArgumentException when the evidence is none; the message says what to change
   */
  void addTo(String job, Introduction.Builder introduction);
}
