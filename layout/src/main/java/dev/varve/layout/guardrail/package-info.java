/**
 * Guardrails, which check layouts for properties that cause trouble later.
 *
 * <p>They check a declaration, a layout against the store on which it is opened, and counters of
 * what is written. They return findings with the problem, the threshold and how to fix it. All
 * guardrails are pure functions; the engine keeps the counters and acts on findings. Declarations
 * that do not make a layout at all are refused when they are read, under rules of the same list.
 * {@code docs/guardrails.md} lists the rules with their thresholds.
 */
@NullMarked
package dev.varve.layout.guardrail;

import org.jspecify.annotations.NullMarked;
