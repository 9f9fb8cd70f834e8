@NullMarked
package dev.varve.engine.blocks;

import org.jspecify.annotations.NullMarked;
