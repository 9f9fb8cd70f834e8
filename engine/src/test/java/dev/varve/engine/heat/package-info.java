@NullMarked
package dev.varve.engine.heat;

import org.jspecify.annotations.NullMarked;
