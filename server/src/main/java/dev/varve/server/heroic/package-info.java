/**
 * Heroic's HTTP API: the dialect, its writes and its small answers. What Heroic computes in its own
 * way lives in the packages below this one. docs/api/heroic.md lists the differences from the
 * original.
 */
@NullMarked
package dev.varve.server.heroic;

import org.jspecify.annotations.NullMarked;
