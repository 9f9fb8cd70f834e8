/** Heroic's queries: requests, what runs them, and their answers. */
@NullMarked
package dev.varve.server.heroic.query;

import org.jspecify.annotations.NullMarked;
