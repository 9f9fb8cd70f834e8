/**
 * The contract of all layouts, as tests and properties that a layout's tests extend.
 *
 * <p>{@link dev.varve.layout.contract.LayoutContract} lists the promises, each once. The tests of a
 * layout extend it with a {@link dev.varve.layout.contract.LayoutFixture}. The tests use the memory
 * store: layouts are pure, but their plans must be read from a store.
 */
@NullMarked
package dev.varve.layout.contract;

import org.jspecify.annotations.NullMarked;
