@NullMarked
package dev.varve.engine.fill;

import org.jspecify.annotations.NullMarked;
