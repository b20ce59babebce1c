/** Steps of commands of the operating system, in one container each. */
package dev.sailfish.workflow.step.command;
