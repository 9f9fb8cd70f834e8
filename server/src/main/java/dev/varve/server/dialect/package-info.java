/**
 * What a dialect is, what it gets from the server, and the questions about names that several ask.
 */
@NullMarked
package dev.varve.server.dialect;

import org.jspecify.annotations.NullMarked;
