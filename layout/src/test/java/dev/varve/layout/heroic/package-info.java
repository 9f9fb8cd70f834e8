/** Tests of the Heroic layout against cells that Heroic wrote. */
@NullMarked
package dev.varve.layout.heroic;

import org.jspecify.annotations.NullMarked;
