/**
 * Inspects foreign tables before they are attached: checks that they fit the layout and infers its
 * parameters. Reads little and writes nothing.
 */
@NullMarked
package dev.varve.engine.attach;

import org.jspecify.annotations.NullMarked;
