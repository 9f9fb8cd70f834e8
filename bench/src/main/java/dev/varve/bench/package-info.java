/**
 * JMH benchmarks of the hot paths, compiled with everything else and run by hand.
 *
 * <p>A number quoted in a commit or a document comes from a benchmark kept here. Nothing may depend
 * on this package.
 */
@NullMarked
package dev.varve.bench;

import org.jspecify.annotations.NullMarked;
