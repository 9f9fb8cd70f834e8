/**
 * What a server adds to rules: it reads rule files and reads them again, lets rules write as
 * protocols write, and tells Alertmanagers of alerts.
 *
 * <p>What a rule means is the business of {@code dev.varve.query.rules}; how it is shown over HTTP
 * that of {@code dev.varve.server.prometheus}.
 */
@NullMarked
package dev.varve.server.rules;

import org.jspecify.annotations.NullMarked;
