/** Processes by their ids: how they are found, signalled, ended and started again. Linux only. */
package dev.sailfish.chaos.process;
