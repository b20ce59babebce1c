package dev.sailfish.workflow.seal;

import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.lineage.protocol.wire.ListDependenciesResponse;
import dev.sailfish.workflow.seal.Applications.Life;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Seals growing records that are named by a MapReduce job, when its application has ended; or when
 * YARN has not known it for some time: then it ended so long ago that it is forgotten. Records of
 * other names are left to who has made them.
 *
 * <p>Records are looked at once, as they come; those that grow are remembered. For one thread.
 */
public final class Sealer {
  private static final Pattern JOB = Pattern.compile("job_(\\d{1,18}_\\d{1,9})");

  private final GrowingRecords records;
  private final Applications applications;
  private final long unknownNs;
  private final Map<Long, String> growing = new TreeMap<>(); // application, by record
  private final Map<Long, Long> unknownSinceNs = new HashMap<>();
  private long after;
  private long sealed;

  /**
   * Knows no record yet.
   *
   * @param unknownNs for how long YARN does not know an application that counts as ended
   */
  public Sealer(GrowingRecords records, Applications applications, long unknownNs) {
    this.records = records;
    this.applications = applications;
    this.unknownNs = unknownNs;
  }

  /**
   * Looks at new records and seals those whose jobs have ended.
   *
   * @param nowNs from any beginning
   */
  public void round(long nowNs) throws IOException {
    boolean more = true;
    while (more) {
      ListDependenciesResponse page = records.after(after);
      page.getDependenciesList().forEach(this::see);
      more = page.getMore();
      after = Math.max(after, page.getNextAfter());
    }
    for (Map.Entry<Long, String> one : Map.copyOf(growing).entrySet()) {
      look(one.getKey(), one.getValue(), nowNs);
    }
  }

  private void see(DependencyRecord record) {
    Matcher job = JOB.matcher(record.getName());
    if (record.getGrowing() && job.matches()) {
      growing.put(record.getId(), "application_" + job.group(1));
    }
  }

  private void look(long id, String application, long nowNs) throws IOException {
    Life life = applications.life(application);
    if (life == Life.UNKNOWN) {
      unknownSinceNs.putIfAbsent(id, nowNs);
    } else {
      unknownSinceNs.remove(id);
    }
    boolean isForgotten = life == Life.UNKNOWN && nowNs - unknownSinceNs.get(id) >= unknownNs;
    if (life == Life.ENDED || isForgotten) {
      Optional<DependencyRecord> record = records.record(id);
      if (record.isPresent() && record.get().getGrowing()) {
        records.seal(id);
        sealed++;
      }
      growing.remove(id);
      unknownSinceNs.remove(id);
    }
  }

  /** How many records grow whose jobs have not ended, as far as is known. */
  public int growing() {
    return growing.size();
  }

  /** How many were sealed. */
  public long sealed() {
    return sealed;
  }
}
