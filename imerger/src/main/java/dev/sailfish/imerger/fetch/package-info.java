/**
 * What a merge asks servers: {@link dev.sailfish.imerger.fetch.MetaserverCalls} for plans, places
 * and keys, {@link dev.sailfish.imerger.fetch.ReadLinks} for the tails and blocks of chunks. Here
 * is all of an imerger that retries, waits for a server or gives one up.
 */
package dev.sailfish.imerger.fetch;
