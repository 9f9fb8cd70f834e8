/** The configuration of an engine and its datasets, and what is checked before anything opens. */
@NullMarked
package dev.varve.engine.config;

import org.jspecify.annotations.NullMarked;
