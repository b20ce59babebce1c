package dev.sailfish.ground.server.web;

import java.util.function.BooleanSupplier;

/**
 * One condition for a daemon to be ready.
 *
 * @param name a word or two, unique in the daemon
 * @param passes asked by the web thread for each look; must not wait
 * @param reason what is so while it does not pass; everybody may read it
 */
public record HealthCheck(String name, BooleanSupplier passes, String reason) {}
