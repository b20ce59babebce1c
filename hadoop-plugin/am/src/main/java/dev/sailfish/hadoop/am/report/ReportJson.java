package dev.sailfish.hadoop.am.report;

import dev.sailfish.format.order.PrintableKey;
import dev.sailfish.workbuilder.plan.HeavyKey;
import dev.sailfish.workbuilder.plan.ReducePlan;
import dev.sailfish.workbuilder.plan.ReduceWork;
import dev.sailfish.workbuilder.plan.Refusal;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Reports as JSON, for the web process; docs/APPLICATION-MASTER.md has the form. However large a
 * plan is, a report stays below {@link #MOST_BYTES}: what does not fit is counted.
 */
final class ReportJson {
  /** What a receiver takes. */
  static final int MOST_BYTES = 8 << 20;

  private static final int VERSION = 1;

  /** Of the works: the rest is for events, refusals and heavy keys, which have bounds of theirs. */
  private static final int MOST_WORK_CHARACTERS = 3 << 20;

  private static final int MOST_LISTED = 1_000;

  private ReportJson() {}

  /**
   * A report in UTF-8.
   *
   * @param job id by which the metaserver knows the job
   */
  static byte[] encode(String job, JobReport report) {
    JsonText json = new JsonText().beginObject();
    json.field("version", VERSION).field("sequence", report.sequence()).field("job", job);
    json.field("attempt", report.attempt()).field("mode", report.mode()).field("why", report.why());
    json.name("planningMs");
    planning(json, report);
    json.name("plan");
    if (report.plan() == null) {
      json.none();
    } else {
      plan(json, report.plan());
    }
    list(json, "events", report.events(), ReportJson::event);
    json.field("eventsLeftOut", report.eventsLeftOut());
    json.field("ended", report.end() == null ? null : report.end().name());
    json.field("viewAcl", report.viewAcl());
    return json.endObject().toBytes();
  }

  /** Names a report, in UTF-8. */
  static byte[] last(JobReport report) {
    return new JsonText()
        .beginObject()
        .field("attempt", report.attempt())
        .field("sequence", report.sequence())
        .endObject()
        .toBytes();
  }

  /** Two times, the second null as long as the plan is being made; null before that. */
  private static void planning(JsonText json, JobReport report) {
    if (report.planningBegunMs() == 0) {
      json.none();
      return;
    }
    json.beginArray().value(report.planningBegunMs());
    if (report.planMadeMs() == 0) {
      json.none();
    } else {
      json.value(report.planMadeMs());
    }
    json.endArray();
  }

  private static void plan(JsonText json, ReducePlan plan) {
    json.beginObject().name("targetBytes");
    if (plan.target().bytes() == Long.MAX_VALUE) {
      json.none();
    } else {
      json.value(plan.target().bytes());
    }
    json.field("targetReason", plan.target().reason()).field("partitions", plan.partitions());
    list(json, "refusals", plan.refusals(), ReportJson::refusal);
    list(json, "heavyKeys", plan.heavyKeys(), ReportJson::heavyKey);
    int from = json.length();
    int written = 0;
    json.name("works").beginArray();
    for (ReduceWork work : plan.works()) {
      if (json.length() - from < MOST_WORK_CHARACTERS) {
        work(json, work);
        written++;
      }
    }
    json.endArray().field("worksLeftOut", plan.works().size() - written).endObject();
  }

  /** The first of them, and where those are not all how many are left out. */
  private static <T> void list(
      JsonText json, String name, List<T> all, BiConsumer<JsonText, T> write) {
    json.name(name).beginArray();
    for (T one : all.subList(0, Math.min(all.size(), MOST_LISTED))) {
      write.accept(json, one);
    }
    json.endArray();
    if (all.size() > MOST_LISTED) {
      json.field(name + "LeftOut", all.size() - MOST_LISTED);
    }
  }

  private static void refusal(JsonText json, Refusal refusal) {
    json.beginObject().field("partition", refusal.partition());
    json.field("reason", refusal.reason()).endObject();
  }

  private static void heavyKey(JsonText json, HeavyKey heavy) {
    json.beginObject().field("partition", heavy.partition()).field("key", heavy.key());
    json.field("bytes", heavy.rawBytes()).endObject();
  }

  private static void work(JsonText json, ReduceWork work) {
    json.beginObject().field("work", work.number()).field("first", work.firstPartition());
    json.field("last", work.lastPartition()).field("range", work.range());
    json.field("from", printable(work.from())).field("to", printable(work.to()));
    json.field("records", work.records()).field("bytes", work.rawBytes());
    json.field("mostBytes", work.maxRawBytes()).endObject();
  }

  private static String printable(byte[] key) {
    return key == null ? null : PrintableKey.of(key);
  }

  private static void event(JsonText json, JobReport.Event event) {
    json.beginObject().field("ms", event.ms()).field("kind", event.kind().name());
    json.field("task", event.task()).field("text", event.text()).endObject();
  }
}
