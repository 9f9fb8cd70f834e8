/** JSON of requests as a tree whose nodes know their place. */
@NullMarked
package dev.varve.server.heroic.json;

import org.jspecify.annotations.NullMarked;
