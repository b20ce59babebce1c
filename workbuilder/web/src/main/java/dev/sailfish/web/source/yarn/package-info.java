/** What the ResourceManager, ApplicationMasters and the history server tell over REST. */
package dev.sailfish.web.source.yarn;
