/**
 * Declared layouts: whatever a user writes down as parts of a row key, families and qualifiers,
 * made into a {@link dev.varve.layout.Layout}.
 *
 * <p>A {@link dev.varve.layout.declared.Declaration} is the text as values, the same whether it
 * came from YAML or from Java; {@link dev.varve.layout.declared.DeclaredLayout} is what it compiles
 * to. The byte formats of key parts, qualifiers and values live here, each drawn beside the code
 * that writes it. Layouts whose bytes others have fixed do not belong here, nor does judging
 * whether a declaration is wise: that is the guardrails' work.
 */
@NullMarked
package dev.varve.layout.declared;

import org.jspecify.annotations.NullMarked;
