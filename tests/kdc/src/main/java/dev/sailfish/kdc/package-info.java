/** A KDC for tests of those who know users by Kerberos. */
package dev.sailfish.kdc;
