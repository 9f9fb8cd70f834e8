package dev.varve.query;

import dev.varve.engine.request.QueryExplanation;
import dev.varve.engine.request.ReadRequest;
import dev.varve.query.PlanExplanation.ScanExplanation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An outline of a request in any language, for explanations: its operators, with the reads at the
 * bottom. {@link #explain} numbers the reads and adds how the layouts answer them.
 *
 * @param operator name of the operator, in a word or two
 * @param detail its parameters; empty if there are none
 * @param read what it reads; null if it reads nothing itself
 * @param actual measured figures; null if the request was not run
 */
public record Outline(
    String operator,
    String detail,
    @Nullable ReadOutline read,
    PlanTree.@Nullable Figures actual,
    List<Outline> inputs) {
  public Outline {
    inputs = List.copyOf(inputs);
  }

  /** Returns an operator without figures that reads nothing itself. */
  public static Outline of(String operator, String detail, List<Outline> inputs) {
    return of(operator, detail, null, inputs);
  }

  /**
   * Returns an operator that reads nothing itself.
   *
   * @param actual measured figures; null if the request was not run
   */
  public static Outline of(
      String operator, String detail, PlanTree.@Nullable Figures actual, List<Outline> inputs) {
    return new Outline(operator, detail, null, actual, inputs);
  }

  /** Returns a read whose figures are only those of the read itself. */
  public static Outline of(String operator, String detail, ReadOutline read) {
    return new Outline(operator, detail, read, null, List.of());
  }

  /**
   * Explains the request.
   *
   * @param notes decisions made while planning, in words
   * @param nanos duration of the whole request in nanoseconds; 0 if it was not run
   * @param reads explains a read of the dataset
   */
  public PlanExplanation explain(
      List<String> notes, long nanos, Function<ReadRequest, QueryExplanation> reads) {
    Map<ReadOutline, Integer> numbers = new LinkedHashMap<>();
    PlanTree tree = tree(this, numbers);
    List<ScanExplanation> scans = new ArrayList<>();
    numbers.forEach((read, number) -> scans.add(scan(read, number, reads)));
    return new PlanExplanation(tree, scans, notes, nanos);
  }

  private static PlanTree tree(Outline node, Map<ReadOutline, Integer> numbers) {
    List<PlanTree> inputs = new ArrayList<>();
    node.inputs().forEach(input -> inputs.add(tree(input, numbers)));
    ReadOutline read = node.read();
    Integer number =
        read == null ? null : numbers.computeIfAbsent(read, fresh -> numbers.size() + 1);
    return new PlanTree(node.operator(), node.detail(), number, node.actual(), inputs);
  }

  private static ScanExplanation scan(
      ReadOutline read, int number, Function<ReadRequest, QueryExplanation> reads) {
    ReadRequest request = read.request();
    return new ScanExplanation(
        number,
        read.selector(),
        read.from(),
        read.to(),
        read.labels(),
        read.recurring(),
        request == null ? null : reads.apply(request),
        read.actual());
  }
}
