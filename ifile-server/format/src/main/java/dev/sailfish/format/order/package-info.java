/**
 * The order of keys: normalized forms that compare as bytes, comparators over stored keys, groups,
 * and keys as a person reads them.
 */
package dev.sailfish.format.order;
