/**
 * The server's part of rules: reading and reloading rule files, writing the results as protocols
 * do, and sending alerts to Alertmanagers.
 *
 * <p>Rules are evaluated by {@code dev.varve.rules} and shown over HTTP by {@code
 * dev.varve.server.prometheus}.
 */
@NullMarked
package dev.varve.server.rules;

import org.jspecify.annotations.NullMarked;
