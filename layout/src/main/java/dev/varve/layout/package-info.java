/**
 * Layouts: which coordinate of a cell carries which part of a point, and how it is encoded.
 *
 * <p>This package contains the codecs between points and cells, the planner, the known layouts and
 * the declared ones. All of it is pure, with no I/O, clock or threads, so that properties and
 * recorded vectors can prove it. A layout that must read before it can continue returns that
 * request as a value. {@link dev.varve.layout.StepRunner}, the only class here that calls a store,
 * executes it.
 */
@NullMarked
package dev.varve.layout;

import org.jspecify.annotations.NullMarked;
