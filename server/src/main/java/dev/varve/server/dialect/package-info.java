/**
 * The interface of dialects, the services that the server offers them, and shared queries for
 * names.
 */
@NullMarked
package dev.varve.server.dialect;

import org.jspecify.annotations.NullMarked;
