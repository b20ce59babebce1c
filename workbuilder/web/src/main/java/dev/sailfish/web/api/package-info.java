/**
 * What the process serves: REST below {@code /api/v1}, server-sent events, and who may see them.
 * Errors are {@link dev.sailfish.web.api.Problem}s.
 */
package dev.sailfish.web.api;
