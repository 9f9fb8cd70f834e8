@NullMarked
package dev.varve.engine.home;

import org.jspecify.annotations.NullMarked;
