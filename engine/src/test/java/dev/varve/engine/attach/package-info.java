@org.jspecify.annotations.NullMarked
package dev.varve.engine.attach;
