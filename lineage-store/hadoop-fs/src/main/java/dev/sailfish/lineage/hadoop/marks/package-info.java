/** Files of formats with random marks, which are to have the same bytes whenever they are made. */
package dev.sailfish.lineage.hadoop.marks;
