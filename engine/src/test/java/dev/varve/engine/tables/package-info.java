@NullMarked
package dev.varve.engine.tables;

import org.jspecify.annotations.NullMarked;
