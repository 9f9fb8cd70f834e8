/**
 * Heroic's HTTP API: the dialect, its writes and its small answers. Heroic's own computations live
 * in the packages below this one. docs/api/heroic.md lists the differences from the original.
 */
@NullMarked
package dev.varve.server.heroic;

import org.jspecify.annotations.NullMarked;
