/**
 * Layouts: which coordinate of a cell carries which part of a point, and how it is encoded.
 *
 * <p>Here are the codecs between points and cells, the planner, the known layouts and the declared
 * ones. All of it is pure, with no I/O, no clock and no threads, so that properties and recorded
 * vectors can prove it. A layout that must look before it can go on returns that wish as a value;
 * whoever holds the open tables carries it out, with {@link dev.varve.layout.Steps}, the one class
 * here that calls a store.
 */
@NullMarked
package dev.varve.layout;

import org.jspecify.annotations.NullMarked;
