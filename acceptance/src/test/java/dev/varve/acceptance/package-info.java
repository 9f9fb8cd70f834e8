/**
 * Tests of the program as users run it: real processes, real agents, real signals.
 *
 * <p>Nothing here calls the product's classes. Tests know Varve only from outside: its command
 * line, its ports, its files. Each test has its own directory under {@code target}, which remains
 * after a failure.
 */
@NullMarked
package dev.varve.acceptance;

import org.jspecify.annotations.NullMarked;
