/**
 * A QFS for tests in one JVM: a metaserver with any number of addresses and chunkservers on real
 * sockets of the loopback address, everything in memory, with faults that a test sets. {@link
 * dev.sailfish.testkit.qfs.QfsTestServer} starts it.
 *
 * <p>Written from the protocol's facts and shares no code with any client, so that both cannot have
 * the same fault. A request and its answer:
 *
 * <pre>
 *   request   OPERATION CR LF  Name: value CR LF ...  CR LF  body of Num-bytes or Content-length
 *   answer    OK        CR LF  Name: value CR LF ...  CR LF  body of Content-length
 * </pre>
 *
 * <p>Two forms of the same headers: long names with decimal numbers, and names of one to three
 * letters with hexadecimal ones. A request is answered in its own form; a first LOOKUP in the long
 * form with {@code Short-rpc-fmt: 1} is answered in the short one.
 *
 * <p>What a real QFS does and this one does not: authentication, striped files, object stores,
 * re-replication of lost chunks, checks of permissions on anything but the directory that an
 * operation changes, and a wait between LEASE_ACQUIRE with Flush-write-lease and a stable chunk
 * other than {@link dev.sailfish.testkit.qfs.QfsServerSettings#stableAfter}.
 */
package dev.sailfish.testkit.qfs;
