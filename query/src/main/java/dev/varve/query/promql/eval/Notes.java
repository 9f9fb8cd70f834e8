package dev.varve.query.promql.eval;

import dev.varve.query.promql.SourceRange;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Warnings and remarks about a query, without duplicates. */
public final class Notes {
  /** Maximum number of each kind, as in Prometheus. */
  private static final int MOST = 10;

  private final PositionText positions;
  private final Set<String> warnings = new LinkedHashSet<>();
  private final Set<String> infos = new LinkedHashSet<>();

  private Map<SourceRange, List<SourceRange>> alsoAt = Map.of();

  Notes(String query) {
    this.positions = new PositionText(query);
  }

  /** Sets positions with equal subexpressions: a note about one applies to all. */
  void alsoAt(Map<SourceRange, List<SourceRange>> others) {
    alsoAt = others;
  }

  void warn(String what, SourceRange where) {
    add(warnings, "PromQL warning: ", what, where);
  }

  void inform(String what, SourceRange where) {
    add(infos, "PromQL info: ", what, where);
  }

  private void add(Set<String> notes, String kind, String what, SourceRange where) {
    addAt(notes, kind, what, where);
    for (SourceRange other : alsoAt.getOrDefault(where, List.of())) {
      addAt(notes, kind, what, other);
    }
  }

  private void addAt(Set<String> notes, String kind, String what, SourceRange where) {
    if (notes.size() < MOST) {
      notes.add("%s%s (%s)".formatted(kind, what, positions.of(where)));
    }
  }

  /** Returns likely problems with the result. */
  public List<String> warnings() {
    return List.copyOf(warnings);
  }

  /** Returns possible problems with the query. */
  public List<String> infos() {
    return List.copyOf(infos);
  }
}
