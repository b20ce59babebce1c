package dev.sailfish.lineage.hadoop.qfs;

/** Hadoop's contract on the QFS of the tests. */
class QfsContractTest extends QfsContractSuites {
  @Override
  TestedQfs qfs() {
    return TestedQfs.ours();
  }
}
