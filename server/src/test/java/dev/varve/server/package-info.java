/** The whole server, tried from outside. */
@NullMarked
package dev.varve.server;

import org.jspecify.annotations.NullMarked;
