package dev.varve.server.heroic.aggregation;

import dev.varve.engine.request.ReadRequest;
import dev.varve.query.Analysis;
import dev.varve.server.heroic.error.HeroicError;
import dev.varve.server.heroic.series.HeroicSeries;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A running aggregation. It first receives all values, then returns its result once. For one
 * thread.
 */
public interface Session {
  /**
   * Receives values. Does not keep their arrays.
   *
   * @param key the names and values by which series are grouped
   * @param series the series that the values belong to
   */
  void update(Map<String, String> key, Set<HeroicSeries> series, Values values);

  /** Returns the result, in the order in which keys came. */
  List<Output> result();

  /** One line of a result. */
  record Output(Map<String, String> key, Set<HeroicSeries> series, Values values) {}

  /**
   * The settings that all sessions of a query share.
   *
   * @param start of the range in ms, excluded
   * @param end of the range in ms, included
   * @param atEnd whether buckets are named by their end
   * @param analysis receives figures; null if the query is not analysed
   */
  record Setting(
      long start,
      long end,
      boolean atEnd,
      Retained retained,
      @Nullable Analysis<Stage, ReadRequest> analysis) {
    /**
     * Checks that the buckets of a stage fit the range.
     *
     * @throws HeroicError if they do not
     */
    public static void check(Stage stage, long start, long end, boolean atEnd) {
      for (Stage.Buckets buckets : stage.buckets()) {
        BucketGrid _ = BucketGrid.of(buckets, start, end, atEnd);
      }
    }

    /** Starts a session. */
    public Session of(Stage stage) {
      Session session = plain(stage);
      return analysis == null || stage instanceof Stage.Sequence
          ? session
          : new MeasuredSession(stage, session, analysis);
    }

    private Session plain(Stage stage) {
      return switch (stage) {
        case Stage.Collect collect -> new CollectSession(retained);
        case Stage.Buckets buckets ->
            new BucketSession(BucketGrid.of(buckets, start, end, atEnd), buckets.fold(), retained);
        case Stage.Map(Rule.OfPoints rule) -> new AppliedSession(rule, retained);
        case Stage.Choose(Rule.OfSeries rule) -> new AppliedSession(rule, retained);
        case Stage.Grouping grouping -> new GroupSession(grouping, this);
        case Stage.Sequence(List<Stage> stages) -> new SequenceSession(stages, this);
      };
    }
  }
}
