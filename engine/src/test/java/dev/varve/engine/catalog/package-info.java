@NullMarked
package dev.varve.engine.catalog;

import org.jspecify.annotations.NullMarked;
