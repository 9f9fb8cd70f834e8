/** The list of layouts by name, and the guess which of them another server's tables have. */
@NullMarked
package dev.varve.layout.registry;

import org.jspecify.annotations.NullMarked;
