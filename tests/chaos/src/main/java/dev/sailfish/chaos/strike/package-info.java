/** What can be done to any service: to its processes, its servers and its connections. */
package dev.sailfish.chaos.strike;
