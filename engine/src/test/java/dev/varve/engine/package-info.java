@NullMarked
package dev.varve.engine;

import org.jspecify.annotations.NullMarked;
