/**
 * The layout of Heroic's table in Bigtable, byte for byte, as its last version (2.3.20, 2021)
 * writes it.
 *
 * <p>A row holds 2^32 milliseconds (49.7 days) of points of one series with its resource
 * identifiers. The layout has no parameters because Heroic has none.
 */
@NullMarked
package dev.varve.layout.heroic;

import org.jspecify.annotations.NullMarked;
