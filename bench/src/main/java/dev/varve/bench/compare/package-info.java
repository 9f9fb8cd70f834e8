/**
 * Compares Varve with other databases, whole processes side by side: the same samples over the same
 * protocols, then the same questions.
 *
 * <p>Read {@link dev.varve.bench.compare.Main}, then {@code DataSet}, {@code Product}, {@code Load}
 * and {@code QueryRun}.
 */
@NullMarked
package dev.varve.bench.compare;

import org.jspecify.annotations.NullMarked;
