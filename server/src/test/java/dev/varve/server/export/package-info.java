/** Tests of exports. */
@NullMarked
package dev.varve.server.export;

import org.jspecify.annotations.NullMarked;
