/**
 * JMH benchmarks of the hot paths, compiled with the build and run by hand.
 *
 * <p>Every number quoted in a commit or a page comes from a benchmark kept here. Nothing may depend
 * on this package.
 */
@NullMarked
package dev.varve.bench;

import org.jspecify.annotations.NullMarked;
