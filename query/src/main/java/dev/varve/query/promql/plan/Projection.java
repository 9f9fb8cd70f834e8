package dev.varve.query.promql.plan;

import java.util.List;
import java.util.TreeSet;

/**
 * Which labels of the series of a scan anybody looks at.
 *
 * @param names sorted, each once
 * @param without whether all others are wanted, and not these
 */
public record Projection(List<String> names, boolean without) {
  /** All labels. */
  public static final Projection ALL = new Projection(List.of(), true);

  public Projection {
    names = List.copyOf(new TreeSet<>(names));
  }

  public boolean isAll() {
    return without && names.isEmpty();
  }

  public boolean wants(String label) {
    return names.contains(label) != without;
  }
}
