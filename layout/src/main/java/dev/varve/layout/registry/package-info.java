/** The list of layouts by name, and the inference of the parameters of another server's tables. */
@NullMarked
package dev.varve.layout.registry;

import org.jspecify.annotations.NullMarked;
