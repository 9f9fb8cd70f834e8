/**
 * Heroic's tables in Bigtable, byte for byte, as its last version (2.3.20, 2021) writes them.
 *
 * <p>A row holds the points of one series and its resource identifiers for 2^32 milliseconds, 49.7
 * days. Nothing here is an option, since Heroic has none.
 */
@NullMarked
package dev.varve.layout.heroic;

import org.jspecify.annotations.NullMarked;
