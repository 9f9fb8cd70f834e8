/**
 * What every store must do, as tests that a store's module extends.
 *
 * <p>A suite here states a promise of the SPI once; each store supplies an open store and inherits
 * the tests. A power that a store does not declare is tested too: using it must fail in the defined
 * way. Nothing here may favour one store.
 */
@NullMarked
package dev.varve.store.contract;

import org.jspecify.annotations.NullMarked;
