package dev.varve.server.heroic.query;

import dev.varve.engine.Dataset;
import dev.varve.engine.request.ReadRequest;
import dev.varve.model.Kind;
import dev.varve.model.TimeRange;
import dev.varve.query.Analysis;
import dev.varve.query.Outline;
import dev.varve.query.running.QueryUse;
import dev.varve.server.heroic.aggregation.Retained;
import dev.varve.server.heroic.aggregation.Session;
import dev.varve.server.heroic.aggregation.Session.Output;
import dev.varve.server.heroic.aggregation.Stage;
import dev.varve.server.heroic.error.Limit;
import dev.varve.server.heroic.error.LimitExceededException;
import dev.varve.server.heroic.filter.Alternatives;
import dev.varve.server.heroic.filter.Alternatives.Alternative;
import dev.varve.server.heroic.metadata.MatchingSeries;
import dev.varve.server.heroic.series.DateRange;
import dev.varve.server.heroic.series.HeroicSeries;
import dev.varve.server.heroic.series.Millis;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Runs queries on a dataset as part of one use. For one thread. */
public final class QueryRunner {
  private final Dataset dataset;
  private final QueryUse use;

  public QueryRunner(Dataset dataset, QueryUse use) {
    this.dataset = dataset;
    this.use = use;
  }

  /** The state of one query. */
  private static final class Progress {
    private final Set<Limit> limits = EnumSet.noneOf(Limit.class);
    private final List<String> errors = new ArrayList<>();
  }

  QueryResult run(PreparedQuery query) {
    return run(query, new Progress(), null);
  }

  /**
   * Outlines a query.
   *
   * @param analyze whether to run it as well and measure it
   * @param notes receives the errors that the answer would report
   */
  Outline outline(PreparedQuery query, boolean analyze, List<String> notes) {
    Analysis<Stage, ReadRequest> analysis = analyze ? new Analysis<>() : null;
    Progress progress = new Progress();
    if (analysis != null) {
      run(query, progress, analysis);
    }
    notes.addAll(progress.errors);
    SampleReader reader = new SampleReader(dataset, use, query, progress.errors, null);
    return new QueryOutline(query, reader, dataset.resolution(), analysis).outline();
  }

  private QueryResult run(
      PreparedQuery query, Progress progress, @Nullable Analysis<Stage, ReadRequest> analysis) {
    long start = System.nanoTime();
    Retained retained = new Retained(use, query.limits().aggregation());
    List<Output> groups = List.of();
    if (query.deterministic() && !query.stage().isDeterministic()) {
      progress.errors.add("Aggregation can not be evaluated with deterministic resources");
    } else {
      try {
        groups = groups(query, retained, progress, analysis);
      } catch (LimitExceededException e) {
        progress.limits.add(e.limit());
        progress.errors.add(String.valueOf(e.getMessage()));
      }
    }
    long micros = (System.nanoTime() - start) / 1000;
    return new QueryResult(
        query, groups, progress.limits, retained.samples(), progress.errors, micros);
  }

  private List<Output> groups(
      PreparedQuery query,
      Retained retained,
      Progress progress,
      @Nullable Analysis<Stage, ReadRequest> analysis) {
    DateRange range = query.range();
    Predicate<HeroicSeries> wanted = limited(query, progress);
    if (!progress.errors.isEmpty()) {
      return List.of();
    }
    Session session =
        new Session.Setting(range.start(), range.end(), query.atEnd(), retained, analysis)
            .of(query.stage());
    SampleReader reader = new SampleReader(dataset, use, query, progress.errors, analysis);
    boolean any = false;
    for (Alternative alternative : Alternatives.of(query.filter())) {
      Predicate<HeroicSeries> test = alternative.test().and(wanted);
      any |= reader.read(alternative.selector(), test, session);
    }
    return any ? cut(Percentiles.asPoints(session.result(), use), query, progress) : List.of();
  }

  /** Returns the test for the first series, if their number is limited. */
  private Predicate<HeroicSeries> limited(PreparedQuery query, Progress progress) {
    long limit = query.limits().series();
    if (limit == Long.MAX_VALUE) {
      return series -> true;
    }
    Set<HeroicSeries> first = new HashSet<>();
    TimeRange times =
        Millis.after(query.range().start(), query.range().end(), dataset.resolution());
    try (Stream<HeroicSeries> matching =
        new MatchingSeries(dataset, use).of(query.filter(), times, Kind.ALL)) {
      for (Iterator<HeroicSeries> i = matching.iterator(); i.hasNext(); ) {
        HeroicSeries next = i.next();
        if (first.size() == limit) {
          progress.limits.add(Limit.SERIES);
          if (query.limits().fail()) {
            progress.errors.add(
                "The number of series requested is more than the allowed limit of [%d]"
                    .formatted(limit));
          }
          break;
        }
        use.held(next.bytes(), "series of a query");
        first.add(next);
      }
    }
    return first::contains;
  }

  private static List<Output> cut(List<Output> groups, PreparedQuery query, Progress progress) {
    long limit = query.limits().groups();
    if (groups.size() <= limit) {
      return groups;
    }
    progress.limits.add(Limit.GROUP);
    if (query.limits().fail()) {
      progress.errors.add(
          "The number of result groups is more than the allowed limit of [%d]".formatted(limit));
      return List.of();
    }
    return groups.subList(0, (int) limit);
  }
}
