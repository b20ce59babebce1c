/**
 * JMH benchmarks, one package per package of the code they measure. Each has a baseline beside it
 * that does what the hardware or the JDK can do at best.
 */
package dev.sailfish.benchmarks;
