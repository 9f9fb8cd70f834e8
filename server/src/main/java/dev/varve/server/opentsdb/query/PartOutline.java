package dev.varve.server.opentsdb.query;

import dev.varve.engine.Dataset;
import dev.varve.engine.ReadRequest;
import dev.varve.query.Analysis;
import dev.varve.query.Outline;
import dev.varve.query.PlanTree;
import dev.varve.query.ReadOutline;
import dev.varve.query.running.QueryUse;
import java.util.ArrayList;
import java.util.List;
import java.util.TimeZone;
import org.jspecify.annotations.Nullable;

/** Outlines a sub query: what it reads, and the operations on top. */
public final class PartOutline {
  private final Dataset dataset;
  private final TsQuery.Part part;
  private final @Nullable Analysis<Operation, ReadRequest> analysis;

  private PartOutline(
      Dataset dataset, TsQuery.Part part, @Nullable Analysis<Operation, ReadRequest> analysis) {
    this.dataset = dataset;
    this.part = part;
    this.analysis = analysis;
  }

  /**
   * Outlines a sub query.
   *
   * @param analyze whether to run it as well and measure it
   * @throws OpenTsdbError 400 if it names what the dataset does not know
   */
  public static Outline of(
      Dataset dataset, TsQuery.Checked query, TsQuery.Part part, QueryUse use, boolean analyze) {
    Analysis<Operation, ReadRequest> analysis = analyze ? new Analysis<>() : null;
    Scan scan = new Scan(Source.of(dataset, part), query, use, analysis);
    if (analysis != null) {
      run(scan, analysis);
    }
    return new PartOutline(dataset, part, analysis).of(scan.selections(), scan);
  }

  private static void run(Scan scan, Analysis<Operation, ReadRequest> analysis) {
    List<Group> groups = scan.groups();
    PointSink nowhere = new Nowhere();
    for (Group group : groups) {
      analysis.enter(Operation.AGGREGATE);
      PointSink counted = new MeasuredPoints(analysis, Operation.AGGREGATE, null, nowhere);
      group.points().accept(counted);
      counted.end();
      analysis.enter(null);
    }
  }

  /** Drops points. */
  private static final class Nowhere implements PointSink {
    @Override
    public void whole(long time, long value) {}

    @Override
    public void real(long time, double value) {}
  }

  private Outline of(List<Scan.Selection> selections, Scan scan) {
    List<Outline> reads = selections.stream().map(one -> select(one, scan)).toList();
    List<Outline> inputs = reads;
    Downsampling spec = part.downsampling();
    if (spec != null) {
      inputs = node(Operation.DOWNSAMPLE, "downsample", detail(spec, part.zone()), inputs);
      if (spec.fill() != Fill.NONE && !spec.isWhole()) {
        inputs = node(Operation.FILL, "fill", "empty buckets with " + spec.fill().word(), inputs);
      }
    }
    if (part.sub().rate()) {
      inputs = node(Operation.RATE, "rate", detail(part.sub().rateOptions()), inputs);
    }
    return node(Operation.AGGREGATE, "aggregate", aggregation(), inputs).getFirst();
  }

  private List<Outline> node(
      Operation operation, String name, String detail, List<Outline> inputs) {
    PlanTree.Figures figures = analysis == null ? null : analysis.figures(operation);
    return List.of(Outline.of(name, detail, figures, inputs));
  }

  private Outline select(Scan.Selection selection, Scan scan) {
    ReadRequest request = scan.request(selection.selector());
    ReadOutline read =
        ReadOutline.of(
            request,
            dataset.resolution(),
            "all",
            analysis == null ? null : analysis.read(request).actual());
    String exactly =
        selection.exactly() == null
            ? ""
            : ", no other tags than " + String.join(", ", selection.exactly().keySet());
    return Outline.of("select", ReadOutline.text(selection.selector()) + exactly, read);
  }

  private String aggregation() {
    Aggregator aggregator = part.aggregator();
    if (aggregator.isNone()) {
      return "none: each series by itself";
    }
    List<String> by = new ArrayList<>();
    part.sub().filters().stream()
        .filter(ValueFilter::groupBy)
        .map(ValueFilter::tagk)
        .distinct()
        .forEach(by::add);
    return aggregator.name()
        + (by.isEmpty() ? " of all series" : " by " + String.join(", ", by))
        + (part.sub().rate() ? ", rates held between points" : between(aggregator));
  }

  private static String between(Aggregator aggregator) {
    return switch (aggregator.between()) {
      case LERP -> ", linear between points";
      case ZERO -> ", zero between points";
      case MAX -> ", the largest number between points";
      case MIN -> ", the smallest number between points";
      case PREVIOUS -> ", the previous value between points";
    };
  }

  private static String detail(Downsampling spec, TimeZone zone) {
    return spec.aggregator().name()
        + " of "
        + (spec.isWhole() ? "the whole range" : spec.width())
        + (spec.calendar() ? ", in the calendar of " + zone.getID() : "");
  }

  private static String detail(@Nullable RateOptions options) {
    if (options == null || !options.counter()) {
      return "per second";
    }
    return "per second, of a counter up to %d%s"
        .formatted(
            options.counterMax(),
            options.dropResets()
                ? ", resets dropped"
                : options.resetValue() > 0 ? ", zero above " + options.resetValue() : "");
  }
}
