@NullMarked
package dev.varve.layout.block;

import org.jspecify.annotations.NullMarked;
