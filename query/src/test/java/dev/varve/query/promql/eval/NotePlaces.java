package dev.varve.query.promql.eval;

import dev.varve.query.promql.Expr;
import dev.varve.query.promql.Printer;
import dev.varve.query.promql.QueryUses;
import dev.varve.query.promql.SourceRange;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Positions at which Prometheus may report the warnings and infos that Varve reports. Of notes that
 * differ only in position, Prometheus shows one. For counters in subqueries it has lost the
 * position and reports 1:1. For an argument in parentheses it reports the position either of the
 * parentheses or of their content; Varve reports the latter.
 */
final class NotePlaces {
  private static final Pattern PLACED =
      Pattern.compile("(?<text>.*) \\((?<place>\\d+:\\d+)\\)", Pattern.DOTALL);
  private static final String OF_COUNTERS = "PromQL info: metric might not be a counter";
  private static final String FORGOTTEN = "1:1";

  private final Set<String> ofSubqueries = new HashSet<>();
  private final Set<Map.Entry<String, String>> aroundThem = new HashSet<>();

  /**
   * Creates the positions of a query.
   *
   * @param query as parsed from its own text
   */
  NotePlaces(Expr query) {
    PositionText positions = new PositionText(Printer.print(query));
    QueryUses.parts(query)
        .forEach(part -> {
          if (part instanceof Expr.Subquery subquery) {
            ofSubqueries.add(positions.of(subquery.source()));
          }
          String outer = positions.of(part.source());
          for (Expr inner = part; inner instanceof Expr.Paren paren; ) {
            inner = paren.expr();
            SourceRange source = inner.source();
            aroundThem.add(Map.entry(outer, positions.of(source)));
          }
        });
  }

  /** Returns a note without its position. */
  static String text(String note) {
    Matcher placed = PLACED.matcher(note);
    return placed.matches() ? placed.group("text") : note;
  }

  /**
   * Returns whether all notes of both sides are at valid positions. Ignores notes of only one side.
   *
   * @param ours the notes of Varve
   * @param theirs the notes of Prometheus
   */
  boolean explain(Set<String> ours, Set<String> theirs) {
    Map<String, Set<String>> mine =
        ours.stream()
            .map(PLACED::matcher)
            .filter(Matcher::matches)
            .collect(
                Collectors.groupingBy(
                    placed -> placed.group("text"),
                    Collectors.mapping(placed -> placed.group("place"), Collectors.toSet())));
    Set<String> seen = new HashSet<>();
    return theirs.stream()
        .map(PLACED::matcher)
        .filter(Matcher::matches)
        .filter(placed -> mine.containsKey(placed.group("text")))
        .allMatch(placed ->
            seen.add(placed.group("text"))
                && mine.getOrDefault(placed.group("text"), Set.of()).stream()
                    .anyMatch(
                        place -> isSaidAs(placed.group("text"), place, placed.group("place"))));
  }

  private boolean isSaidAs(String text, String here, String there) {
    return here.equals(there)
        || (text.startsWith(OF_COUNTERS) && there.equals(FORGOTTEN) && ofSubqueries.contains(here))
        || aroundThem.contains(Map.entry(there, here));
  }
}
