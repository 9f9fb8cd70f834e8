/** Tests of the whole server from outside. */
@NullMarked
package dev.varve.server;

import org.jspecify.annotations.NullMarked;
