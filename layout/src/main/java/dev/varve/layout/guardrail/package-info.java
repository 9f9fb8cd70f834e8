/**
 * Guardrails: is a layout wise, where, and for how much data?
 *
 * <p>They look at a declaration, at a layout on the store that it is opened on, and at counters of
 * what is written, and answer with findings: what was found, the threshold, and what would be
 * right. All of them are pure functions; whoever opens and writes holds the counters and acts. What
 * makes no layout at all is refused by the declaration itself, under rules of the same list. The
 * list with its numbers is docs/guardrails.md.
 */
@NullMarked
package dev.varve.layout.guardrail;

import org.jspecify.annotations.NullMarked;
