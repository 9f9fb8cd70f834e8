/** Exports of samples in bulk, which several dialects offer. */
@NullMarked
package dev.varve.server.export;

import org.jspecify.annotations.NullMarked;
