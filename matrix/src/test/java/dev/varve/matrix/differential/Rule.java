package dev.varve.matrix.differential;

import java.util.function.BiPredicate;

/**
 * A known difference.
 *
 * @param documented a text of the API's page that tells of it
 * @param covers whether it explains one difference of a case
 */
record Rule(String documented, BiPredicate<Case, Difference> covers) {}
