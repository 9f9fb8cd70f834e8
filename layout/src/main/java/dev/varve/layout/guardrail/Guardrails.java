package dev.varve.layout.guardrail;

import dev.varve.layout.Layout;
import dev.varve.layout.RefusedException;
import dev.varve.layout.declared.DeclaredLayout;
import dev.varve.layout.guardrail.Rule.Severity;
import dev.varve.store.Capabilities;
import dev.varve.store.SizeLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Runs all guardrails of one stage. Pure; all lists are sorted by {@link Rule}. */
public final class Guardrails {
  /**
   * Number of cells from which a partition is reported on stores that spread partitions by hash.
   */
  public static final long PARTITION_CELLS = Thresholds.PARTITION_CELLS;

  private Guardrails() {}

  /**
   * Checks a layout by itself. Only declared layouts are checked, since others cannot be changed.
   *
   * @param retention how long the dataset keeps samples; null for ever
   */
  public static List<Finding> declaration(Layout layout, @Nullable Duration retention) {
    return layout instanceof DeclaredLayout declared
        ? notAllowed(layout, new DeclarationGuardrails(declared, retention).findings())
        : List.of();
  }

  /**
   * Checks a layout against the store on which it is opened.
   *
   * @param storeKind such as {@code rocksdb}
   * @param tables the capabilities of the store for each of the layout's tables, in their order
   * @param retention how long the dataset keeps samples; null for ever
   */
  public static List<Finding> opening(
      Layout layout, String storeKind, List<Capabilities> tables, @Nullable Duration retention) {
    return notAllowed(
        layout, new OpeningGuardrails(layout, storeKind, tables, retention).findings());
  }

  /**
   * Checks one row or partition that is written to.
   *
   * @param bytes its known size
   * @param cells its known number of cells
   */
  public static List<Finding> row(
      Layout layout, String storeKind, Capabilities capabilities, long bytes, long cells) {
    return notAllowed(layout, WritingGuardrails.row(storeKind, capabilities, bytes, cells));
  }

  /** Checks one value that is written. */
  public static List<Finding> value(Layout layout, SizeLimits limits, long bytes) {
    return notAllowed(layout, WritingGuardrails.value(limits, bytes));
  }

  /**
   * Checks what was written to a table.
   *
   * @param cells number of cells
   * @param coordinateBytes bytes of families and qualifiers of all cells, and of row keys, counted
   *     once per mutation
   * @param valueBytes bytes of all values
   */
  public static List<Finding> overhead(
      Layout layout, long cells, long coordinateBytes, long valueBytes) {
    return notAllowed(layout, WritingGuardrails.overhead(cells, coordinateBytes, valueBytes));
  }

  /**
   * Throws if any finding refuses.
   *
   * @return the findings, all of which only warn
   * @throws RefusedException if a finding refuses; has the rule of the first such finding, and all
   *     of them in its message
   */
  public static List<Finding> enforce(Layout layout, List<Finding> findings) {
    List<Finding> refusing =
        findings.stream().filter(finding -> finding.severity() == Severity.REFUSE).toList();
    if (!refusing.isEmpty()) {
      String overruled =
          refusing.stream().allMatch(finding -> finding.rule().overruled())
              ? " (to overrule, add to the declaration: allow: [%s])"
                  .formatted(
                      refusing.stream()
                          .map(finding -> finding.rule().id())
                          .distinct()
                          .collect(Collectors.joining(", ")))
              : "";
      throw new RefusedException(
          "guardrail." + refusing.getFirst().rule().id(),
          "layout %s is refused: %s%s"
              .formatted(
                  layout.identity().name(),
                  refusing.stream().map(Finding::toString).collect(Collectors.joining("; ")),
                  overruled));
    }
    return findings;
  }

  /** Removes findings that the layout's declaration overrules. */
  private static List<Finding> notAllowed(Layout layout, List<Finding> findings) {
    Set<String> allowed =
        layout instanceof DeclaredLayout declared ? declared.declaration().allow() : Set.of();
    List<Finding> left = new ArrayList<>(findings);
    left.removeIf(finding -> finding.rule().overruled() && allowed.contains(finding.rule().id()));
    return List.copyOf(left);
  }
}
