/** The threads of the engine and their share of the processors. */
@NullMarked
package dev.varve.engine.threads;

import org.jspecify.annotations.NullMarked;
