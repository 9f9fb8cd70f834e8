/** The errors of Heroic's API. */
@NullMarked
package dev.varve.server.heroic.error;

import org.jspecify.annotations.NullMarked;
