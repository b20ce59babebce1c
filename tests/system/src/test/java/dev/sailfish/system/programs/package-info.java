/**
 * Programs that others wrote, unchanged: what they give with Sailfish beside what they give with
 * the stock shuffle. Each is a script in the resources, as a person would type it on a node of a
 * cluster; the plug-in is switched on in that node's {@code mapred-site.xml} and nowhere else.
 */
package dev.sailfish.system.programs;
