/** {@code sailfish store}: the lineage store for operators. */
package dev.sailfish.cli.store;
