/**
 * What tests of every module share: seeded randomness, a clock that is moved by hand, and bytes to
 * feed the code under test. Knows nothing of servers; nothing but test code may depend on it.
 */
package dev.sailfish.testkit;
