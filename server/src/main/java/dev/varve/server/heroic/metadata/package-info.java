/** Heroic's API about series, keys and tags, which reads no points. */
@NullMarked
package dev.varve.server.heroic.metadata;

import org.jspecify.annotations.NullMarked;
