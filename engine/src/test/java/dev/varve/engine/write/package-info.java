@NullMarked
package dev.varve.engine.write;

import org.jspecify.annotations.NullMarked;
