/** What the ResourceManager says of applications: whether their jobs are admitted, or end. */
package dev.sailfish.metaserver.yarn;
