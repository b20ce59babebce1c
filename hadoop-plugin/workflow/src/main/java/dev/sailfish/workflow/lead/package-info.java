/** Which of several workflow managers works. */
package dev.sailfish.workflow.lead;
