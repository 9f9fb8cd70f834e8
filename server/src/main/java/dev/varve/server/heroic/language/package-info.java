/** Heroic's text language, for filters and whole queries. */
@NullMarked
package dev.varve.server.heroic.language;

import org.jspecify.annotations.NullMarked;
