/**
 * Configuration: one YAML file, the environment and {@code --set} on top, into the records that
 * engine and server are opened with.
 *
 * <p>All problems are found at once, each with its place; unknown keys are refused. A flag is
 * stronger than the environment, the environment stronger than the file, the file stronger than the
 * defaults.
 */
@NullMarked
package dev.varve.cli.config;

import org.jspecify.annotations.NullMarked;
