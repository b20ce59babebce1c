package dev.sailfish.workbuilder.plan;

import dev.sailfish.format.order.PrintableKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Plans as text for people. */
public final class PlanText {
  private static final String[] UNITS = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  private static final String ROW = "%6s  %-12s  %12s  %10s  %10s  %s\n";

  private PlanText() {}

  /** A number of bytes with two digits or more: {@code 1.0 GiB}, {@code 120 MiB}. */
  public static String size(long bytes) {
    if (bytes < 1024) {
      return bytes + " B";
    }
    int unit = (63 - Long.numberOfLeadingZeros(bytes)) / 10 - 1;
    double value = bytes / (double) (1L << 10 * (unit + 1));
    return String.format(Locale.ROOT, value < 10 ? "%.1f %s" : "%.0f %s", value, UNITS[unit]);
  }

  private static String count(int number, String one, String many) {
    return number + " " + (number == 1 ? one : many);
  }

  /** The plan in one sentence. */
  public static String summary(ReducePlan plan) {
    int works = plan.works().size();
    int split = 0;
    int coalesced = 0;
    for (ReduceWork work : plan.works()) {
      split += !work.isWhole() && work.range() == 0 ? 1 : 0;
      coalesced += work.partitions() > 1 ? work.partitions() : 0;
    }
    return "%s, %s -> %s of %s: %s split, %d coalesced; %s kept whole, %s; target %s"
        .formatted(
            count(plan.partitions(), "partition", "partitions"),
            size(plan.rawBytes()),
            count(works, "reduce task", "reduce tasks"),
            size(works == 0 ? 0 : plan.rawBytes() / works),
            count(split, "partition", "partitions"),
            coalesced,
            plan.refusals().size(),
            count(plan.heavyKeys().size(), "heavy key", "heavy keys"),
            plan.target().reason());
  }

  /** The sentence, a row for each work, and a line for each refusal and heavy key. */
  public static String table(ReducePlan plan) {
    StringBuilder text = new StringBuilder(summary(plan)).append("\n");
    text.append(ROW.formatted("work", "partition", "records", "bytes", "at most", "keys"));
    for (ReduceWork work : plan.works()) {
      text.append(
          ROW.formatted(
              work.number(),
              partitions(work),
              work.records(),
              size(work.rawBytes()),
              size(work.maxRawBytes()),
              keys(work)));
    }
    notes(plan).forEach(note -> text.append(note).append("\n"));
    return text.toString();
  }

  private static String partitions(ReduceWork work) {
    if (work.partitions() > 1) {
      return work.firstPartition() + "-" + work.lastPartition();
    }
    return work.isWhole() ? String.valueOf(work.firstPartition()) : work.piece();
  }

  private static String keys(ReduceWork work) {
    if (work.isWhole()) {
      return "all";
    }
    return (work.from() == null ? "" : "from " + PrintableKey.of(work.from()) + " ")
        + (work.to() == null ? "to the end" : "to before " + PrintableKey.of(work.to()));
  }

  private static List<String> notes(ReducePlan plan) {
    List<String> notes = new ArrayList<>();
    for (Refusal refusal : plan.refusals()) {
      notes.add("partition " + refusal.partition() + " stays whole: " + refusal.reason());
    }
    for (HeavyKey heavy : plan.heavyKeys()) {
      notes.add(
          "partition %d has a heavy key: %s, %s or more"
              .formatted(heavy.partition(), heavy.key(), size(heavy.rawBytes())));
    }
    return notes;
  }

  /** What a later plan of the same job does otherwise, a line each; sizes as they are printed. */
  public static String difference(ReducePlan before, ReducePlan after) {
    List<String> lines = new ArrayList<>();
    addChange(lines, "target", before.target().reason(), after.target().reason());
    addChange(
        lines,
        "reduce tasks",
        String.valueOf(before.works().size()),
        String.valueOf(after.works().size()));
    List<String> old = treatments(before);
    List<String> now = treatments(after);
    addChange(lines, "partitions", String.valueOf(old.size()), String.valueOf(now.size()));
    for (int first = 0, end; first < Math.min(old.size(), now.size()); first = end) {
      end = first + 1;
      while (end < Math.min(old.size(), now.size())
          && old.get(end).equals(old.get(first))
          && now.get(end).equals(now.get(first))) {
        end++;
      }
      String name =
          end == first + 1 ? "partition " + first : "partitions " + first + "-" + (end - 1);
      addChange(lines, name, old.get(first), now.get(first));
    }
    List<String> ended = notes(before);
    List<String> added = notes(after);
    ended.removeAll(notes(after));
    added.removeAll(notes(before));
    ended.forEach(note -> lines.add("no longer: " + note));
    added.forEach(note -> lines.add("new: " + note));
    return String.join("\n", lines);
  }

  private static void addChange(List<String> lines, String what, String before, String after) {
    if (!before.equals(after)) {
      lines.add(what + ": " + before + " -> " + after);
    }
  }

  /** For each partition, what the plan does with it. */
  private static List<String> treatments(ReducePlan plan) {
    List<String> treatments = new ArrayList<>();
    List<ReduceWork> works = plan.works();
    for (int first = 0, end; first < works.size(); first = end) {
      ReduceWork work = works.get(first);
      end = first + 1;
      while (end < works.size() && works.get(end).range() > 0) {
        end++;
      }
      String treatment = "whole, " + size(work.rawBytes());
      if (work.partitions() > 1) {
        treatment = "together as " + partitions(work) + ", " + size(work.rawBytes());
      } else if (!work.isWhole()) {
        List<String> pieces = new ArrayList<>();
        works.subList(first, end).forEach(piece -> pieces.add(piece(piece)));
        treatment = pieces.size() + " pieces (" + String.join(", ", pieces) + ")";
      }
      for (int partition = 0; partition < work.partitions(); partition++) {
        treatments.add(treatment);
      }
    }
    return treatments;
  }

  private static String piece(ReduceWork work) {
    return size(work.rawBytes()) + (work.to() == null ? "" : " to " + PrintableKey.of(work.to()));
  }
}
