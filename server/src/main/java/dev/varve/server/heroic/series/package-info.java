/** Series as Heroic names them: a key, tags and resource identifiers. */
@NullMarked
package dev.varve.server.heroic.series;

import org.jspecify.annotations.NullMarked;
