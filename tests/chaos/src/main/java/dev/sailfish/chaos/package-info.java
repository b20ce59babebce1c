/**
 * Faults for services that run as processes: a plan of faults, an injector that makes them happen
 * while some work runs, and a report of what became of them. It knows no service: what is struck,
 * and when, a test of the service says ({@link dev.sailfish.chaos.Target}, {@link
 * dev.sailfish.chaos.FaultKind}, {@link dev.sailfish.chaos.Progress}).
 */
package dev.sailfish.chaos;
