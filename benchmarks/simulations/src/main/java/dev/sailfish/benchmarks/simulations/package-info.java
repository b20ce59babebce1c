/**
 * Models of storage and checkpoints, computed instead of measured: the command {@code bin/sailfish
 * model}.
 *
 * <pre>
 *   ModelCommand ──▶ TwoLevelCommand ──▶ TwoLevelReport ──▶ twolevel   the equations
 *        └──▶ CheckpointCommand, RecomputeCommand, TrafficCommand ──▶ edge   the policy, simulated
 * </pre>
 *
 * <p>One more model is one more subclass of {@link dev.sailfish.benchmarks.simulations.Model},
 * named in {@link dev.sailfish.benchmarks.simulations.ModelCommand}. What it computes lies in a
 * package of its own, which sees no command line.
 */
package dev.sailfish.benchmarks.simulations;
