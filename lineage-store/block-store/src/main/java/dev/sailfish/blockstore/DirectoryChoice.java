package dev.sailfish.blockstore;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds a directory for a new file: in the first tier that has room, the directory with most of it.
 * Thread-safe.
 *
 * @param directories in the order of their tiers
 */
record DirectoryChoice(List<StoreDirectory> directories) {
  private static final Logger LOG = LoggerFactory.getLogger(DirectoryChoice.class);

  /**
   * What is asked for.
   *
   * @param owner who
   * @param fileName of the new file
   * @param segment its name, for messages
   * @param capacity in bytes
   * @param ensured bytes that must have pages at once; 0: a growth step
   * @param lent whether another process makes the pages: there is to be room, and no more
   */
  record Request(
      String owner, String fileName, String segment, long capacity, long ensured, boolean lent) {}

  private record Candidate(StoreDirectory directory, long freeBytes) {}

  /**
   * Makes the file.
   *
   * @param tiers which may be used
   * @throws NoSpaceException when none of them has room; a directory with an I/O error has none
   */
  BackingFile create(Request request, Predicate<Tier> tiers) throws NoSpaceException {
    List<StoreDirectory> candidates = candidates(request.owner, tiers);
    List<IOException> failures = new ArrayList<>();
    for (StoreDirectory directory : candidates) {
      try {
        BackingFile file = directory.allocate(request);
        if (file != null) {
          return file;
        }
      } catch (IOException e) {
        LOG.warn("directory={} cannot take segment name={}", directory.path(), request.segment, e);
        failures.add(e);
      }
    }
    StringBuilder message =
        new StringBuilder("no space for segment name=" + request.segment)
            .append(" owner=" + request.owner + " capacity=" + request.capacity);
    candidates.forEach(directory -> message.append("; ").append(directory.describeFull(request)));
    NoSpaceException exception = new NoSpaceException(message.toString());
    failures.forEach(exception::addSuppressed);
    throw exception;
  }

  private List<StoreDirectory> candidates(String owner, Predicate<Tier> tiers) {
    return directories.stream()
        .filter(directory -> tiers.test(directory.tier()))
        .map(directory -> new Candidate(directory, directory.freeBytes(owner)))
        .sorted(
            Comparator.comparing((Candidate candidate) -> candidate.directory.tier())
                .thenComparing(Comparator.comparingLong(Candidate::freeBytes).reversed()))
        .map(Candidate::directory)
        .toList();
  }
}
