/** Heroic's API for metadata: series, keys and tags. It reads no points. */
@NullMarked
package dev.varve.server.heroic.metadata;

import org.jspecify.annotations.NullMarked;
