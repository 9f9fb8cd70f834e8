package dev.varve.server.rules;

import dev.varve.engine.Dataset;
import dev.varve.engine.request.WriteResult;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Column;
import dev.varve.model.Resolution;
import dev.varve.model.SampleGroup;
import dev.varve.query.limit.QueryLimits;
import dev.varve.query.promql.eval.PromQuery;
import dev.varve.query.promql.eval.PromResult;
import dev.varve.query.promql.eval.PromSettings;
import dev.varve.query.running.QueryOrigin;
import dev.varve.query.running.QueryUse;
import dev.varve.query.running.RunningQueries;
import dev.varve.rules.RuleStore;
import dev.varve.server.ingest.IngestListener;
import dev.varve.server.ingest.Intake;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;

/** Gives rules access to a dataset: they query it and write to it as a protocol would. */
public final class DatasetRules implements RuleStore {
  /** The dialect under which samples written by rules are counted. */
  private static final String DIALECT = "rules";

  private final Dataset dataset;
  private final RunningQueries queries;
  private final QueryLimits limits;
  private final IngestListener listener;

  /**
   * Creates the access to a dataset.
   *
   * @param queries admits the queries of rules
   * @param limits of each query
   * @param listener receives what rules write
   */
  public DatasetRules(
      Dataset dataset, RunningQueries queries, QueryLimits limits, IngestListener listener) {
    this.dataset = dataset;
    this.queries = queries;
    this.limits = limits;
    this.listener = listener;
  }

  @Override
  public PromResult instant(
      String expression, Instant at, PromSettings settings, Consumer<QueryUse> known) {
    QueryOrigin origin = new QueryOrigin(dataset.name(), DIALECT, expression, "", "");
    return queries.run(
        origin,
        limits,
        query -> known.accept(query.use()),
        query ->
            new PromQuery(expression, dataset, query.use(), settings).instant(at.toEpochMilli()));
  }

  @Override
  public boolean holdsMarkers() {
    return dataset.holdsStaleMarkers();
  }

  @Override
  public WriteResult write(Batch batch) {
    Intake intake = new Intake(dataset, DIALECT, listener);
    intake.write(onGrid(batch), false);
    return new WriteResult(
        Math.toIntExact(intake.accepted()),
        Math.toIntExact(intake.refused()),
        List.copyOf(intake.rejections()));
  }

  /**
   * Rounds times down to the resolution of a dataset that is coarser than a millisecond: evaluation
   * times are not full seconds.
   */
  private Batch onGrid(Batch batch) {
    Resolution resolution = dataset.resolution();
    if (resolution.perSecond() >= 1000) {
      return batch;
    }
    long step = 1000 / resolution.perSecond();
    BatchBuilder builder = new BatchBuilder();
    for (SampleGroup group : batch.groups()) {
      for (Column column : group.columns()) {
        if (column instanceof Column.Doubles doubles) {
          for (int i = 0; i < group.size(); i++) {
            long time = Math.floorDiv(group.times()[i], step) * step;
            builder.group(group.key()).add(column.field(), time, doubles.values()[i]);
          }
        }
      }
    }
    return builder.build();
  }
}
