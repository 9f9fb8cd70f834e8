@NullMarked
package dev.varve.engine.repair;

import org.jspecify.annotations.NullMarked;
