/**
 * Reads the configuration (one YAML file, the environment and {@code --set}) into the records with
 * which engine and server are opened.
 *
 * <p>All problems are reported at once, each with its place. Unknown keys are refused. A flag
 * overrides the environment, which overrides the file, which overrides the defaults.
 */
@NullMarked
package dev.varve.cli.config;

import org.jspecify.annotations.NullMarked;
