package dev.sailfish.benchmarks.jobs.workload;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;

/**
 * A job jar of several jars: what a job needs beside its program, such as a file system, is in its
 * tasks and in its ApplicationMaster with it.
 */
public final class MergedJar {
  private MergedJar() {}

  /**
   * Writes it.
   *
   * @param jars of an entry that several have, the first one's is taken; so is its manifest
   */
  public static void write(Path merged, List<Path> jars) throws IOException {
    Set<String> written = new HashSet<>();
    try (OutputStream file = Files.newOutputStream(merged);
        JarOutputStream out = new JarOutputStream(file)) {
      for (Path jar : jars) {
        try (JarFile in = new JarFile(jar.toFile())) {
          copy(in, out, written);
        }
      }
    }
  }

  private static void copy(JarFile in, JarOutputStream out, Set<String> written)
      throws IOException {
    for (Enumeration<JarEntry> entries = in.entries(); entries.hasMoreElements(); ) {
      JarEntry entry = entries.nextElement();
      if (!entry.isDirectory() && written.add(entry.getName())) {
        out.putNextEntry(new JarEntry(entry.getName()));
        in.getInputStream(entry).transferTo(out);
        out.closeEntry();
      }
    }
  }
}
