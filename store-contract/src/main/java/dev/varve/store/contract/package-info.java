/**
 * What every store must do, as one suite that a store's module runs on itself: {@link
 * dev.varve.store.contract.StoreContract}.
 *
 * <p>The suite states each promise of the SPI once. A store supplies a {@link
 * dev.varve.store.contract.StoreFixture} and leaves nothing out: what it cannot do it declares as a
 * {@link dev.varve.store.contract.Gap}, with the wrong result that is expected, so that the suite
 * fails when the gap closes. A power that a store does not declare is tested too: it must be
 * refused in the defined way. Nothing here may favour one store.
 */
@NullMarked
package dev.varve.store.contract;

import org.jspecify.annotations.NullMarked;
