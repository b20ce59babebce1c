package dev.sailfish.lineage.hadoop.qfs;

import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** Hadoop's contract on a QFS that runs somewhere, without the tests that empty its root. */
@EnabledIfEnvironmentVariable(
    named = TestedQfs.VARIABLE,
    matches = ".+:\\d+",
    disabledReason = TestedQfs.REASON)
class RealQfsContractTest extends QfsContractSuites {
  @Override
  TestedQfs qfs() {
    return TestedQfs.real();
  }
}
