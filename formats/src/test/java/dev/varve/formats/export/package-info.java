/** Tests of exports. */
@NullMarked
package dev.varve.formats.export;

import org.jspecify.annotations.NullMarked;
