/**
 * What every layout must do, as properties and tests that a layout's tests extend.
 *
 * <p>A suite here states a promise once, for instance that what was encoded comes back bit for bit
 * inside the layout's domain and is refused by name outside of it. It runs without a store: a
 * layout is pure.
 */
@NullMarked
package dev.varve.layout.contract;

import org.jspecify.annotations.NullMarked;
