package dev.varve.server.opentsdb.query;

import dev.varve.engine.request.ReadRequest;
import dev.varve.query.Analysis;
import dev.varve.query.running.QueryUse;
import dev.varve.server.opentsdb.aggregator.Fold;
import dev.varve.server.opentsdb.query.Source.RolledUp;
import org.jspecify.annotations.Nullable;

/**
 * Builds the stages that each series of a sub query passes through: downsampling, filling, rates.
 *
 * @param analysis receives figures; null if the query is not analysed
 */
record Stages(
    Source source,
    TsQuery.Checked query,
    QueryUse use,
    @Nullable Analysis<Operation, ReadRequest> analysis) {
  /** Returns whether values are quotients of two fields: an average of roll-ups. */
  boolean dividesSums() {
    RolledUp of = source.rolledUp();
    return of != null && of.fields().size() > 1;
  }

  /** Returns the stages before the last one, the first stage first. */
  PointSink of(PointSink last) {
    Downsampling spec = source.part().downsampling();
    if (spec == null) {
      SubQuery sub = source.part().sub();
      return measured(null, sub.rate() ? Operation.RATE : null, rate(last));
    }
    // The stored counts are added, not counted.
    boolean adds = source.rolledUp() != null && spec.aggregator().name().equals(Sources.COUNT);
    return downsampled(adds ? Fold.Basic.SUM : spec.aggregator().fold(), afterDownsampling(last));
  }

  /** Returns a stage that adds the points of each bucket. */
  PointSink summed(PointSink last) {
    return downsampled(Fold.Basic.SUM, last);
  }

  /** Returns the stages after the downsampling. */
  PointSink afterDownsampling(PointSink last) {
    Operation user = source.part().sub().rate() ? Operation.RATE : null;
    Downsampling spec = source.part().downsampling();
    PointSink next;
    if (spec == null || spec.isWhole() || spec.fill() == Fill.NONE) {
      next = rate(last);
    } else {
      ScanRange range = source.range(query.start(), query.end());
      PointSink filled =
          measured(Operation.FILL, user, rate(new ScannedPoints(range.from(), last)));
      next =
          new FillBuckets(
              Buckets.of(spec, source.part().zone()),
              spec.fill().value(),
              range.from(),
              range.to(),
              use,
              filled);
      user = Operation.FILL;
    }
    return measured(Operation.DOWNSAMPLE, user, next);
  }

  private PointSink rate(PointSink last) {
    SubQuery sub = source.part().sub();
    RateOptions options = sub.rateOptions();
    return sub.rate()
        ? new Rate(
            options == null ? RateOptions.DEFAULTS : options, measured(Operation.RATE, null, last))
        : last;
  }

  private PointSink downsampled(Fold fold, PointSink next) {
    Downsampling spec = source.part().downsampling();
    if (spec == null) {
      throw new IllegalStateException("nothing is downsampled");
    }
    PointSink stage =
        spec.isWhole()
            ? new WholeRange(query.start(), query.end(), fold, use, next)
            : new Downsample(
                Buckets.of(spec, source.part().zone()),
                fold,
                source.range(query.start(), query.end()).from(),
                use,
                next);
    return measured(null, Operation.DOWNSAMPLE, stage);
  }

  private PointSink measured(@Nullable Operation from, @Nullable Operation to, PointSink next) {
    return analysis == null ? next : new MeasuredPoints(analysis, from, to, next);
  }
}
