/**
 * What people and monitoring see of a daemon over HTTP: {@link
 * dev.sailfish.transport.web.WebEndpoint} serves {@link dev.sailfish.transport.web.WebPages}.
 */
package dev.sailfish.transport.web;
