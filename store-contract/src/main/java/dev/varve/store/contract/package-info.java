/**
 * The conformance suite that every store runs in its own module: {@link
 * dev.varve.store.contract.StoreContract}.
 *
 * <p>The suite states each promise of the SPI once. A store supplies a {@link
 * dev.varve.store.contract.StoreFixture} and cannot skip anything. What it cannot do it declares as
 * a {@link dev.varve.store.contract.Gap} with the expected wrong result, so that the suite fails
 * when the gap closes. Powers that a store does not declare are tested as well: requests for them
 * must be refused in the defined way. Nothing here may favour one store.
 */
@NullMarked
package dev.varve.store.contract;

import org.jspecify.annotations.NullMarked;
