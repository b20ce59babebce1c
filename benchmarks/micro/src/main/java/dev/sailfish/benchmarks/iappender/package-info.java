/** What a map task pays for each record that it appends. */
package dev.sailfish.benchmarks.iappender;
