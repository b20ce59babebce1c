/**
 * What people and monitoring see of a daemon over HTTP: {@link
 * dev.sailfish.ground.server.web.WebEndpoint} serves {@link
 * dev.sailfish.ground.server.web.WebPages}.
 */
package dev.sailfish.ground.server.web;
