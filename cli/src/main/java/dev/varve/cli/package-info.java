/**
 * The program {@code varve}: commands, configuration, and the construction of engine and server.
 *
 * <p>{@code Main} builds the object graph with constructors. Stores are found by {@link
 * java.util.ServiceLoader} and never imported by class, so adding a store means adding a jar. Data
 * goes to standard output, messages go to standard error.
 */
@NullMarked
package dev.varve.cli;

import org.jspecify.annotations.NullMarked;
