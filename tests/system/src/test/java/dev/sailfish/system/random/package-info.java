/**
 * Random jobs in one JVM. A package of its own, because its long test begins early this way: tests
 * run in the reverse order of their names.
 */
package dev.sailfish.system.random;
