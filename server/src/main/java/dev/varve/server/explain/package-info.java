/** What a dialect offers so that its requests can be explained. */
@NullMarked
package dev.varve.server.explain;

import org.jspecify.annotations.NullMarked;
