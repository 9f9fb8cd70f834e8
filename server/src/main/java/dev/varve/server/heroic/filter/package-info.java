/** Heroic's filters of series: as JSON, normalised, and as selectors of the engine. */
@NullMarked
package dev.varve.server.heroic.filter;

import org.jspecify.annotations.NullMarked;
