/**
 * Lineage records: which files were made of which, and by what. A core that knows files by their
 * ids only: no tree, no I/O, no clock, no thread. The same calls in the same order bring every peer
 * to the same state. Not thread-safe, but for what is being written of a snapshot.
 *
 * <pre>
 *   DependencyGraph ──▶ Dependency ──▶ Input, Program, Output ──▶ Part
 *         │                               OutputState           where the bytes of an output are
 *         ├──▶ GivenUp                      lost outputs that cannot be recomputed, and why
 *         └──▶ DependencyImage            a snapshot, while changes go on
 * </pre>
 *
 * <p><b>Memory.</b> A dependency with one input, one output, one program and no configuration costs
 * 660 bytes of heap; each further input 90 when it is an input of no other, each further output
 * 125, and a configuration its bytes. Programs are in the store, not here.
 */
package dev.sailfish.lineage.master.dependency;
