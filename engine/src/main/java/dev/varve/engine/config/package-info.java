/** The configuration of an engine and its datasets. */
@NullMarked
package dev.varve.engine.config;

import org.jspecify.annotations.NullMarked;
