/** Memory that is mapped from files. */
package dev.sailfish.ground.memory;
