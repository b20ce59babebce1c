/**
 * How a client talks to any server of QFS: requests and replies as lines of text with raw bytes
 * after them, one connection that pipelines them, and a pool of connections. Nothing here knows
 * what a file is.
 *
 * <pre>
 *   request                              reply
 *   +---------------------------+        +---------------------------+
 *   | OPERATION \r\n            |        | OK \r\n                   |
 *   | Name: value \r\n          |        | Cseq: number \r\n         |
 *   | …                         |        | Status: number \r\n       |
 *   | \r\n                      |        | Content-length: n \r\n    |
 *   +---------------------------+        | … \r\n                    |
 *   | raw bytes, as many as     |        +---------------------------+
 *   | Num-bytes or              |        | n raw bytes               |
 *   | Content-length says       |        +---------------------------+
 *   +---------------------------+
 * </pre>
 *
 * Numbers in headers are decimal, as no server is asked for its short format. Replies come in any
 * order and are matched by {@code Cseq}.
 */
package dev.sailfish.lineage.qfs.wire;
