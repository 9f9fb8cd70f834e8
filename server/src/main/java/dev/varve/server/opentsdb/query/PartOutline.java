package dev.varve.server.opentsdb.query;

import dev.varve.engine.Dataset;
import dev.varve.engine.request.ReadRequest;
import dev.varve.query.Analysis;
import dev.varve.query.Outline;
import dev.varve.query.PlanTree;
import dev.varve.query.ReadOutline;
import dev.varve.query.running.QueryUse;
import dev.varve.server.opentsdb.aggregator.Aggregator;
import dev.varve.server.opentsdb.histogram.Histograms;
import dev.varve.server.opentsdb.rollup.Rollups;
import java.util.ArrayList;
import java.util.List;
import java.util.TimeZone;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Outlines a sub query: what it reads, and the operations on top. */
public final class PartOutline {
  private final Source source;
  private final TsQuery.Part part;
  private final @Nullable Analysis<Operation, ReadRequest> analysis;
  private final BiConsumer<ReadRequest, Dataset> reads;

  private PartOutline(
      Source source,
      @Nullable Analysis<Operation, ReadRequest> analysis,
      BiConsumer<ReadRequest, Dataset> reads) {
    this.source = source;
    this.part = source.part();
    this.analysis = analysis;
    this.reads = reads;
  }

  /**
   * Outlines a sub query of points or roll-ups. Of several sources those after the first that has
   * series are not run.
   *
   * @param analyze whether to run it as well and measure it
   * @param reads receives each read with the dataset that it concerns
   * @throws OpenTsdbError 400 if it has a name that the dataset does not know
   */
  public static Outline of(
      Sources sources,
      TsQuery.Checked query,
      TsQuery.Part part,
      QueryUse use,
      boolean analyze,
      BiConsumer<ReadRequest, Dataset> reads) {
    List<Outline> outlines = new ArrayList<>();
    boolean found = false;
    for (Source source : sources.of(part)) {
      Analysis<Operation, ReadRequest> analysis = analyze && !found ? new Analysis<>() : null;
      Scan scan = new Scan(source, query, use, analysis);
      found = found || (analysis != null && run(scan, analysis));
      outlines.add(new PartOutline(source, analysis, reads).of(scan.selections(), scan));
    }
    return outlines.size() == 1
        ? outlines.getFirst()
        : Outline.of("first of", "the sources that have series", outlines);
  }

  /**
   * Outlines a sub query of histograms, which is not run.
   *
   * @param reads receives each read with the dataset that it concerns
   * @throws OpenTsdbError 400 if it has a name that the dataset does not know
   */
  public static Outline ofHistograms(
      Histograms histograms,
      Rollups rollups,
      TsQuery.Checked query,
      TsQuery.Part part,
      QueryUse use,
      BiConsumer<ReadRequest, Dataset> reads) {
    Source source = new Source(histograms.dataset(), histograms.kept(), part, null, rollups);
    Scan scan = new Scan(source, query, use, null);
    PartOutline outline = new PartOutline(source, null, reads);
    List<Outline> selected = new ArrayList<>();
    for (Scan.Selection selection : scan.selections()) {
      selected.add(
          histograms.areAttributes() ? ofAttributes(selection) : outline.select(selection, scan));
    }
    return Outline.of("add histograms", outline.aggregation(), selected);
  }

  private static Outline ofAttributes(Scan.Selection selection) {
    return Outline.of(
        "select",
        ReadOutline.text(selection.selector())
            + ", attributes of the series, whose reads have no plan",
        List.of());
  }

  /** Runs a scan and returns whether it found series. */
  private static boolean run(Scan scan, Analysis<Operation, ReadRequest> analysis) {
    List<Group> groups = scan.groups();
    PointSink nowhere = new Nowhere();
    for (Group group : groups) {
      analysis.enter(Operation.AGGREGATE);
      PointSink counted = new MeasuredPoints(analysis, Operation.AGGREGATE, null, nowhere);
      group.points().accept(counted);
      counted.end();
      analysis.enter(null);
    }
    return !groups.isEmpty();
  }

  /** Drops points. */
  private static final class Nowhere implements PointSink {
    @Override
    public void whole(long time, long value) {}

    @Override
    public void real(long time, double value) {}
  }

  private Outline of(List<Scan.Selection> selections, Scan scan) {
    List<Outline> inputs = new ArrayList<>();
    for (Scan.Selection selection : selections) {
      inputs.add(select(selection, scan));
    }
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

  /** Outlines a read, and passes it on. */
  private Outline select(Scan.Selection selection, Scan scan) {
    ReadRequest request = scan.request(selection.selector());
    Dataset dataset = source.dataset();
    reads.accept(request, dataset);
    ReadOutline read =
        ReadOutline.of(
            request,
            dataset.resolution(),
            dataset.equals(source.names())
                ? "all"
                : "all, of dataset '%s'".formatted(dataset.name()),
            analysis == null ? null : analysis.read(request).actual());
    String exactly =
        selection.exactly() == null
            ? ""
            : ", no other tags than " + String.join(", ", selection.exactly().keySet());
    return Outline.of(
        "select", ReadOutline.text(selection.selector()) + exactly + rolledUp(), read);
  }

  private String rolledUp() {
    Source.RolledUp of = source.rolledUp();
    return of == null
        ? ""
        : ", roll-ups of %s: %s"
            .formatted(of.interval().text(), String.join(", ", new TreeSet<>(of.fields())));
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
