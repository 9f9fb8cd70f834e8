/**
 * Reads YAML with the places of its values into records. All problems are reported at once, each
 * with its place, and unknown keys are refused.
 *
 * <p>It reads the server's own configuration and Prometheus' files. The classes that read a section
 * define its keys.
 */
@NullMarked
package dev.varve.server.config;

import org.jspecify.annotations.NullMarked;
