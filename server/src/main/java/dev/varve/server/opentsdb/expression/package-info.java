/**
 * Expressions over the results of queries, as in OpenTSDB 2.4: the functions of {@code
 * /api/query/gexp} and the formulas of {@code /api/query/exp}. Formulas are parsed and computed
 * here; nothing that a client sends runs as a script.
 */
@NullMarked
package dev.varve.server.opentsdb.expression;

import org.jspecify.annotations.NullMarked;
