/**
 * Delegation tokens: what a user gets who has proved who he is, so that programs can say on whose
 * behalf they run.
 */
package dev.sailfish.ground.wire.token;
