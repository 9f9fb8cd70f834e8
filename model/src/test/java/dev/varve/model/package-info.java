@NullMarked
package dev.varve.model;

import org.jspecify.annotations.NullMarked;
