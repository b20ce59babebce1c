package dev.sailfish.lineage.master.dependency;

/**
 * The program, or a file that it needs.
 *
 * @param name what the program calls it
 * @param hash SHA-256 of its bytes: 64 lower-case hexadecimal digits
 */
public record Program(String name, String hash) {
  /**
   * Shares the texts, which are the same in many records; cuts a name that no snapshot can have.
   */
  public Program {
    name = RecordText.fitted(name).intern();
    hash = hash.intern();
  }
}
