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

/** Asks all guardrails of one moment. Pure; every list is in the order of {@link Rule}. */
public final class Guardrails {
  /** From so many cells on a partition is told of where partitions are spread by hash. */
  public static final long PARTITION_CELLS = Thresholds.PARTITION_CELLS;

  private Guardrails() {}

  /**
   * Looks at a layout by itself. Layouts that others have defined are what they are: only declared
   * ones are looked at.
   *
   * @param retention how long the dataset keeps samples; null for ever
   */
  public static List<Finding> declaration(Layout layout, @Nullable Duration retention) {
    return layout instanceof DeclaredLayout declared
        ? notAllowed(layout, new DeclarationGuardrails(declared, retention).findings())
        : List.of();
  }

  /**
   * Looks at a layout on the store that it is opened on.
   *
   * @param storeKind such as {@code rocksdb}
   * @param tables how the store serves each of the layout's tables, in their order
   * @param retention how long the dataset keeps samples; null for ever
   */
  public static List<Finding> opening(
      Layout layout, String storeKind, List<Capabilities> tables, @Nullable Duration retention) {
    return notAllowed(
        layout, new OpeningGuardrails(layout, storeKind, tables, retention).findings());
  }

  /**
   * Looks at one row, or partition, that is written to.
   *
   * @param bytes how large it is, as far as is known
   * @param cells how many cells it has, as far as is known
   */
  public static List<Finding> row(
      Layout layout, String storeKind, Capabilities capabilities, long bytes, long cells) {
    return notAllowed(layout, WritingGuardrails.row(storeKind, capabilities, bytes, cells));
  }

  /** Looks at one value that is written. */
  public static List<Finding> value(Layout layout, SizeLimits limits, long bytes) {
    return notAllowed(layout, WritingGuardrails.value(limits, bytes));
  }

  /**
   * Looks at what was written to a table.
   *
   * @param cells how many
   * @param coordinateBytes of their families and qualifiers, and of their row keys, those once for
   *     each mutation of a row
   * @param valueBytes of their values
   */
  public static List<Finding> overhead(
      Layout layout, long cells, long coordinateBytes, long valueBytes) {
    return notAllowed(layout, WritingGuardrails.overhead(cells, coordinateBytes, valueBytes));
  }

  /**
   * Refuses what is found to be refused.
   *
   * @return the findings, none of which refuses
   * @throws RefusedException under the first rule that refuses, with all that do in its message
   */
  public static List<Finding> enforce(Layout layout, List<Finding> findings) {
    List<Finding> refusing =
        findings.stream().filter(finding -> finding.severity() == Severity.REFUSE).toList();
    if (!refusing.isEmpty()) {
      String overruled =
          refusing.stream().allMatch(finding -> finding.rule().overruled())
              ? " (whoever knows better says so in the declaration: allow: [%s])"
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

  /** Leaves out what the author of the layout has overruled. */
  private static List<Finding> notAllowed(Layout layout, List<Finding> findings) {
    Set<String> allowed =
        layout instanceof DeclaredLayout declared ? declared.declaration().allow() : Set.of();
    List<Finding> left = new ArrayList<>(findings);
    left.removeIf(finding -> finding.rule().overruled() && allowed.contains(finding.rule().id()));
    return List.copyOf(left);
  }
}
