/**
 * The index of the series of a dataset: which exist, under which labels, with which fields, about
 * how many samples, and when.
 *
 * <p>All of it is memory and arithmetic. What is kept of it in cells is the concern of the home;
 * nothing here knows a store.
 */
@NullMarked
package dev.varve.engine.catalog;

import org.jspecify.annotations.NullMarked;
