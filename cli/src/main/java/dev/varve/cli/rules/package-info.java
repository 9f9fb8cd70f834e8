/** The commands {@code varve rules ...}, which check rule files and test rules. */
@NullMarked
package dev.varve.cli.rules;

import org.jspecify.annotations.NullMarked;
