/**
 * A second level of storage that is slow for want of a slow one: the local file system through a
 * link of so many bytes a second. For benchmarks only.
 */
package dev.sailfish.benchmarks.limited;
