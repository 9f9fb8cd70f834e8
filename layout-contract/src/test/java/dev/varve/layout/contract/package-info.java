/** The known layouts, each under the contract. */
@NullMarked
package dev.varve.layout.contract;

import org.jspecify.annotations.NullMarked;
