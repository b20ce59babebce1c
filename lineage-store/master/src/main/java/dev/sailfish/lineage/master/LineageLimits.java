package dev.sailfish.lineage.master;

import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import dev.sailfish.lineage.protocol.LineageService;
import dev.sailfish.lineage.protocol.wire.CreateDependency;
import dev.sailfish.lineage.protocol.wire.DependencyInput;
import dev.sailfish.lineage.protocol.wire.GiveUpFile;
import dev.sailfish.lineage.protocol.wire.PrepareProgram;
import dev.sailfish.lineage.protocol.wire.ProgramFile;

/** Refuses lineage records that are too many or too large, before the journal has them. */
final class LineageLimits {
  /** Of a user's name, as of the owner of a file. */
  private static final int LONGEST_USER = 255;

  /** Of a URI or a name, in characters: snapshots have at most 65535 bytes for one. */
  private static final int LONGEST_TEXT = 16 << 10;

  private final Settings settings;

  LineageLimits(Settings settings) {
    this.settings = settings;
  }

  /**
   * Throws when a record is too large, or one too many.
   *
   * @param owner who records it
   * @param there how many there are
   */
  void require(CreateDependency asked, String owner, int there) throws NamespaceException {
    require(Reason.FULL, LineageMasterKey.LINEAGE_DEPENDENCIES, there + 1L, "lineage records");
    require(LineageMasterKey.LINEAGE_INPUTS, asked.getInputsCount(), "inputs");
    require(LineageMasterKey.LINEAGE_OUTPUTS, asked.getOutputsCount(), "outputs");
    require(LineageMasterKey.LINEAGE_PROGRAMS, asked.getProgramsCount(), "files of the program");
    require(LineageMasterKey.LINEAGE_CONFIG, asked.getConfig().size(), "bytes of configuration");
    requireLength("the name of a user", owner, LONGEST_USER);
    for (DependencyInput input : asked.getInputsList()) {
      requireLength("the URI of an input", input.getOutside().getUri(), LONGEST_TEXT);
    }
    for (ProgramFile file : asked.getProgramsList()) {
      requireLength("the name of a program's file", file.getName(), LONGEST_TEXT);
    }
  }

  /**
   * Throws when a record that is growing has as many outputs as it may have.
   *
   * @param there how many it has
   */
  void requireRoom(int there) throws NamespaceException {
    require(Reason.FULL, LineageMasterKey.LINEAGE_OUTPUTS, there + 1L, "outputs");
  }

  /** How long a record may be growing while no output is added. */
  long idleMs() {
    return settings.get(LineageMasterKey.LINEAGE_IDLE).toMillis();
  }

  /** Throws when a program is too long. */
  void require(PrepareProgram asked) throws NamespaceException {
    require(LineageMasterKey.LINEAGE_PROGRAM, asked.getLength(), "bytes of a program's file");
  }

  /** Throws when a cause is too long. */
  static void require(GiveUpFile asked) throws NamespaceException {
    requireLength(
        "the cause for which a file is given up",
        asked.getCause(),
        LineageService.LONGEST_SENTENCE);
  }

  private static void requireLength(String what, String text, int most) throws NamespaceException {
    if (text.length() > most) {
      throw new NamespaceException(
          Reason.INVALID,
          "%s has at most %d characters, not %d".formatted(what, most, text.length()));
    }
  }

  private void require(Key<? extends Number> key, long count, String what)
      throws NamespaceException {
    require(Reason.INVALID, key, count, what);
  }

  private void require(Reason reason, Key<? extends Number> key, long count, String what)
      throws NamespaceException {
    long most = settings.get(key).longValue();
    if (Long.compareUnsigned(count, most) > 0) {
      throw new NamespaceException(
          reason,
          "%s: %d, and at most %d by %s of the masters".formatted(what, count, most, key.name()));
    }
  }
}
