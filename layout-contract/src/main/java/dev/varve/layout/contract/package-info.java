/**
 * What every layout must do, as tests and properties that a layout's tests extend.
 *
 * <p>{@link dev.varve.layout.contract.LayoutContract} lists the promises, each once; a layout
 * passes by handing it a {@link dev.varve.layout.contract.LayoutFixture}. It runs over the memory
 * store: the layout itself is pure, but what it plans has to be read from somewhere.
 */
@NullMarked
package dev.varve.layout.contract;

import org.jspecify.annotations.NullMarked;
