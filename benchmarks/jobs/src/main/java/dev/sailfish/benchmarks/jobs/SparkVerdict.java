package dev.sailfish.benchmarks.jobs;

/**
 * Whether runs show what a rule of thumb says.
 *
 * @param rule what is expected, and who says so
 * @param what was compared
 * @param ratio the rival's seconds by those of the store, medians; of two gains for small files
 * @param verdict reproduced or refuted
 */
record SparkVerdict(String rule, String what, double ratio, String verdict) {
  static SparkVerdict of(String rule, String what, double ratio, boolean reproduced) {
    return new SparkVerdict(
        rule, what, Medians.rounded(ratio, 100), reproduced ? "reproduced" : "refuted");
  }
}
