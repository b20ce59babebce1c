/**
 * Compression of the records of one block. The formats are those of the reference libraries: LZ4
 * block, Snappy raw, Zstandard frame, LZO1X.
 */
package dev.sailfish.codec;
