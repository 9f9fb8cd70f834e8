/** What Heroic's API answers about series, keys and tags without reading points. */
@NullMarked
package dev.varve.server.heroic.metadata;

import org.jspecify.annotations.NullMarked;
