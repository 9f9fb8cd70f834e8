/** Tests of the operators' paths. */
@NullMarked
package dev.varve.server.operations;

import org.jspecify.annotations.NullMarked;
