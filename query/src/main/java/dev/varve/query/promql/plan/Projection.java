package dev.varve.query.promql.plan;

import java.util.List;
import java.util.TreeSet;

/**
 * The labels of a scan's series that are used.
 *
 * @param names sorted, without duplicates
 * @param without whether these labels are dropped and all others used
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
