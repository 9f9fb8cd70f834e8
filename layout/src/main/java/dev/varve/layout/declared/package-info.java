/**
 * Declared layouts: {@link dev.varve.layout.Layout}s compiled from a user's description of row
 * keys, families and qualifiers.
 *
 * <p>A {@link dev.varve.layout.declared.Declaration} holds the description as values, whether it
 * came from YAML or from Java; {@link dev.varve.layout.declared.DeclaredLayout} is its compiled
 * form. This package also contains the byte formats of key parts, qualifiers and values, each
 * documented beside the code that writes it. Layouts with byte formats defined by other programs do
 * not belong here, and neither does judging whether a declaration is wise: that is the guardrails'
 * job.
 */
@NullMarked
package dev.varve.layout.declared;

import org.jspecify.annotations.NullMarked;
