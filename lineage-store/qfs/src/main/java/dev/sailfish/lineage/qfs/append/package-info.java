/**
 * Records that many writers append to one QFS file, whole and exactly once, without a word to each
 * other: QFS, not the writer, says where each goes.
 *
 * <p>{@link dev.sailfish.lineage.qfs.append.RecordAppendFile} is the way in.
 */
package dev.sailfish.lineage.qfs.append;
