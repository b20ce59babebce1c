/** What calls the core: requests, ticks, the journal; who may connect, and who is admitted. */
package dev.sailfish.metaserver.rpc;
