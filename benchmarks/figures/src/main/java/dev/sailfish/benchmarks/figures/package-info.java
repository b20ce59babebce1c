/** Figures of a report, as CSV and as SVG: text of our own making, no library draws them. */
package dev.sailfish.benchmarks.figures;
