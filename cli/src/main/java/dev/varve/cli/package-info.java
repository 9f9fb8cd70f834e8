/**
 * The program {@code varve}: commands, configuration and the wiring of everything below.
 *
 * <p>{@code Main} builds the object graph with constructors. Stores are found by {@link
 * java.util.ServiceLoader} and never imported by class, so that adding one is adding a jar. Data
 * goes to standard output, talk to standard error.
 */
@NullMarked
package dev.varve.cli;

import org.jspecify.annotations.NullMarked;
