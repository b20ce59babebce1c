/** Secrets in files, and what both sides of a connection compute from them. No I/O but files. */
package dev.sailfish.ground.wire.secret;
