/** A layout with any row key, to try the planner and the contract on. */
@NullMarked
package dev.varve.layout.sketch;

import org.jspecify.annotations.NullMarked;
