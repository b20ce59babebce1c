/** Pictures of where the time goes. */
package dev.sailfish.benchmarks.profile;
