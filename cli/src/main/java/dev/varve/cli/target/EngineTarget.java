package dev.varve.cli.target;

import dev.varve.cli.io.CommandFailedException;
import dev.varve.cli.io.WrongCallException;
import dev.varve.engine.Dataset;
import dev.varve.engine.Engine;
import dev.varve.engine.HeatMaps;
import dev.varve.engine.advice.Advice;
import dev.varve.engine.progress.CompactionProgress;
import dev.varve.engine.progress.ConversionProgress;
import dev.varve.engine.progress.DeleteCount;
import dev.varve.engine.progress.Deletion;
import dev.varve.engine.progress.DeletionProgress;
import dev.varve.engine.progress.FillResult;
import dev.varve.engine.progress.Remnant;
import dev.varve.engine.request.PointExplanation;
import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.WriteResult;
import dev.varve.formats.export.ExportWriter;
import dev.varve.formats.json.JsonLines;
import dev.varve.model.Batch;
import dev.varve.model.Resolution;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import dev.varve.model.Value;
import dev.varve.query.PlanExplanation;
import dev.varve.query.Query;
import dev.varve.query.QueryPlan;
import dev.varve.query.ResultSeries;
import dev.varve.query.ResultSink;
import dev.varve.query.SelectorParser;
import dev.varve.query.limit.QueryLimits;
import dev.varve.query.running.QueryUse;
import dev.varve.server.export.Export;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.WriteBudget;
import dev.varve.server.ingest.Intake;
import dev.varve.server.varve.AdviceJson;
import dev.varve.server.varve.DeleteParameters;
import dev.varve.server.varve.ExplainRequest;
import dev.varve.server.varve.ExplanationJson;
import dev.varve.server.varve.HeatMapJson;
import dev.varve.server.varve.HeatParameters;
import dev.varve.server.varve.QueryParameters;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** A dataset in this process. */
final class EngineTarget implements Target {
  private static final Duration BETWEEN_NEWS = Duration.ofMillis(250);

  private final Engine engine;
  private final Dataset dataset;
  private final boolean closes;

  /** Creates the target of a dataset of an engine that is closed with it. */
  EngineTarget(Engine engine, Dataset dataset) {
    this(engine, dataset, true);
  }

  private EngineTarget(Engine engine, Dataset dataset, boolean closes) {
    this.engine = engine;
    this.dataset = dataset;
    this.closes = closes;
  }

  @Override
  public String name() {
    return dataset.name();
  }

  @Override
  public Target beside(String other) {
    return new EngineTarget(engine, engine.dataset(other), false);
  }

  @Override
  public Resolution resolution() {
    return dataset.resolution();
  }

  @Override
  public String durability() {
    return dataset.acknowledgement().word();
  }

  @Override
  public String created() {
    return dataset.created().toString();
  }

  @Override
  public boolean holdsFields() {
    return dataset.holdsFields();
  }

  @Override
  public Written write(Batch batch, boolean insists) {
    Intake intake = new Intake(dataset, "", (to, from, result, coerced, nanos) -> {});
    intake.writeOwn(batch, insists);
    return new Written(
        intake.accepted(),
        intake.refused(),
        intake.coerced(),
        intake.rejections().stream().map(EngineTarget::text).toList());
  }

  @Override
  public Filled fill(Batch batch, boolean dry) {
    Intake intake = new Intake(dataset, "", (to, from, result, coerced, nanos) -> {});
    if (dry) {
      List<FillResult.Day> days = intake.compare(batch, false);
      return filled(intake, days, 0);
    }
    FillResult result = intake.fill(batch, false);
    return filled(intake, result.days(), result.written().refused());
  }

  private static Filled filled(Intake intake, List<FillResult.Day> days, long refused) {
    return new Filled(
        intake.accepted(),
        intake.refused(),
        intake.dropped(),
        intake.coerced(),
        days.stream().mapToLong(FillResult.Day::missing).sum() - refused,
        intake.rejections().stream().map(EngineTarget::text).toList(),
        days);
  }

  @Override
  public List<String> metrics(String selector) {
    return dataset
        .catalog()
        .labelValues(Series.NAME_LABEL, SelectorParser.parse(selector))
        .toList();
  }

  @Override
  public void awaitCatalog() {
    while (!dataset.isCatalogComplete()) {
      try {
        Thread.sleep(BETWEEN_NEWS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new CommandFailedException("interrupted");
      }
    }
  }

  @Override
  public void query(QueryParameters parameters, SampleSink sink) {
    Query.of(plan(parameters)).on(dataset).into(new Samplewise(sink));
  }

  @Override
  public long export(QueryParameters rows, ExportWriter writer) throws IOException {
    ReadRequest request = rows.read(dataset.resolution(), Instant.now());
    new Export(dataset, List.of(request.selector()), request.times(), request.wholeTable())
        .run(writer, QueryUse.of(Export.limits(QueryLimits.DEFAULTS)));
    return 0;
  }

  @Override
  public String explain(Map<String, String> texts) {
    try {
      PlanExplanation explanation =
          ExplainRequest.of(texts, Clock.systemUTC(), WriteBudget.unlimited())
              .explain(dataset, engine::dataset, QueryUse.of(QueryLimits.DEFAULTS));
      return json(generator -> ExplanationJson.write(explanation, generator));
    } catch (HttpError e) {
      String message = String.valueOf(e.getMessage());
      throw e.status() == 400
          ? new WrongCallException(message)
          : new CommandFailedException(message);
    }
  }

  @Override
  public String explain(Batch batch) {
    List<PointExplanation> cells = dataset.explain(batch);
    return json(generator -> ExplanationJson.write(cells, generator));
  }

  @Override
  public CompactionProgress compact(QueryParameters rows, Consumer<CompactionProgress> progress) {
    ReadRequest request = rows.read(dataset.resolution(), Instant.now());
    return dataset.maintenance().compact(request, progress, () -> false);
  }

  @Override
  public ConversionProgress convertIntoBlocks(Consumer<ConversionProgress> progress) {
    return dataset.maintenance().convertIntoBlocks(progress, () -> false);
  }

  @Override
  public DeleteCount countDeletable(Map<String, String> texts) {
    DeleteParameters wanted = DeleteParameters.of(texts, dataset.resolution(), Instant.now());
    return dataset.deletes().count(wanted.selector(), wanted.times(), ReadGuard.NONE);
  }

  @Override
  public DeletionProgress delete(Map<String, String> texts, Consumer<DeletionProgress> progress) {
    DeleteParameters wanted = DeleteParameters.of(texts, dataset.resolution(), Instant.now());
    Deletion deletion = dataset.deletes().begin(wanted.selector(), wanted.times());
    try {
      boolean failing = false;
      while (!failing && !deletion.await(BETWEEN_NEWS)) {
        progress.accept(deletion.progress());
        failing = deletion.progress().problem() != null;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return deletion.progress();
  }

  @Override
  public List<Remnant> remnants() {
    return dataset.deletes().remnants();
  }

  @Override
  public String heatMap(Map<String, String> texts) {
    HeatParameters parameters;
    try {
      parameters = HeatParameters.of(texts, dataset, Instant.now());
    } catch (IllegalArgumentException e) {
      throw new WrongCallException(String.valueOf(e.getMessage()));
    }
    HeatMaps.Named map =
        dataset.usage().heatMaps().map(parameters.table(), parameters.request(), ReadGuard.NONE);
    return json(generator -> HeatMapJson.write(parameters, dataset, map, generator));
  }

  @Override
  public String advice() {
    Advice advice = dataset.usage().advise(ReadGuard.NONE);
    return json(generator -> AdviceJson.write(advice, generator));
  }

  private QueryPlan plan(QueryParameters parameters) {
    try {
      return parameters.plan(dataset.resolution(), Instant.now());
    } catch (IllegalArgumentException e) {
      throw new WrongCallException(String.valueOf(e.getMessage()));
    }
  }

  private static String json(Consumer<JsonGenerator> content) {
    return JsonLines.text(content).stripTrailing();
  }

  private static String text(WriteResult.Rejection rejection) {
    String field = rejection.field() == null ? "" : "#" + rejection.field();
    String time = rejection.time() == null ? "" : " at " + rejection.time();
    return rejection.key() + field + time + ": " + rejection.refusal().message();
  }

  @Override
  public void close() {
    if (closes) {
      engine.close();
    }
  }

  /** Passes on samples one by one. */
  private static final class Samplewise implements ResultSink {
    private final SampleSink sink;
    private @Nullable ResultSeries series;

    private Samplewise(SampleSink sink) {
      this.sink = sink;
    }

    @Override
    public void begin(ResultSeries next) {
      series = next;
    }

    @Override
    public void samples(Samples samples, int from, int to) {
      for (int i = from; i < to; i++) {
        accept(samples.time(i), samples.value(i));
      }
    }

    @Override
    public void gap(long time) {
      accept(time, null);
    }

    private void accept(long time, @Nullable Value value) {
      ResultSeries current = Objects.requireNonNull(series);
      sink.accept(current.metric(), current.labels(), time, value);
    }

    @Override
    public void end() {
      series = null;
    }
  }
}
