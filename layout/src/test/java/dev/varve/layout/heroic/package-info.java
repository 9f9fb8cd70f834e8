/** Heroic's cells against those that Heroic itself wrote. */
@NullMarked
package dev.varve.layout.heroic;

import org.jspecify.annotations.NullMarked;
