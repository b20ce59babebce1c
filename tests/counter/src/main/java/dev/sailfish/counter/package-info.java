/**
 * A replicated service that counts for jobs: what a service needs beside the ground, in one
 * package. {@link dev.sailfish.counter.CounterServer} is a peer, {@link
 * dev.sailfish.counter.CounterClient} its client.
 */
package dev.sailfish.counter;
