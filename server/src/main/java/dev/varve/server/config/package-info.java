/**
 * YAML that knows where it stands, and the reading of it into records: all problems are found at
 * once, each with its place, and unknown keys are refused.
 *
 * <p>Whatever is configured by a file is read with this: the server's own configuration, and the
 * files of Prometheus that it takes. What the keys mean is said where they are read.
 */
@NullMarked
package dev.varve.server.config;

import org.jspecify.annotations.NullMarked;
