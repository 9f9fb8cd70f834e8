/**
 * Tests of the program as it is run: real processes, real agents, real signals.
 *
 * <p>Nothing here calls the product's classes. What a test knows of Varve it knows from outside:
 * its command line, its ports, its files. Each test has a directory of its own under {@code
 * target}, which stays after a failure.
 */
@NullMarked
package dev.varve.acceptance;

import org.jspecify.annotations.NullMarked;
