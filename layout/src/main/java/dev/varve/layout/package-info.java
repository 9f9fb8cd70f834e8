/**
 * Layouts: which coordinate of a cell carries which part of a point, and how it is encoded.
 *
 * <p>Here are the codecs between points and cells, the planner, the known layouts and the declared
 * ones. All of it is pure, with no I/O, no clock and no threads, so that properties and recorded
 * vectors can prove it. A layout that must look before it can go on returns that wish as a value;
 * the engine carries it out.
 */
@NullMarked
package dev.varve.layout;

import org.jspecify.annotations.NullMarked;
