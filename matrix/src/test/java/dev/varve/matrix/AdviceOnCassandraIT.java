package dev.varve.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.Dataset;
import dev.varve.engine.Engine;
import dev.varve.engine.advice.Advice;
import dev.varve.engine.advice.Advice.ReadCosts;
import dev.varve.engine.advice.Rule;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.RunCursor;
import dev.varve.engine.usage.QueryKind;
import dev.varve.layout.StorageLayout;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Selector;
import dev.varve.model.TagFilter;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.store.ReadCost;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The advisor on tall data in a real Cassandra: a row for each sample, in partitions without end.
 * Its proposal is applied: the same samples are written in the proposed layout and the same queries
 * asked. What Cassandra's adapter counts falls as predicted, within a factor of two.
 */
class AdviceOnCassandraIT {
  private static final long MINUTE = 60_000;
  private static final long HOUR = 60 * MINUTE;
  private static final long SPAN = 24 * HOUR;
  private static final int HOSTS = 6;
  private static final QueryKind KIND = new QueryKind("test", "", 0);
  private static final String TALL =
      """
      layout: advised
      key: [metric, tags, time]
      families: {d: {qualifier: [field]}}
      """;

  private final long now = System.currentTimeMillis() / HOUR * HOUR;
  private final List<ReadRequest> queries =
      List.of(of(6 * HOUR, "host", "h3"), of(12 * HOUR, "host", "h1"), of(HOUR));

  @TempDir Path directory;

  private ReadRequest of(long length, String... tag) {
    TagFilter[] filters =
        tag.length == 0 ? new TagFilter[0] : new TagFilter[] {new TagFilter.Equal(tag[0], tag[1])};
    return ReadRequest.of(Selector.metric("cpu", filters), new TimeRange(now - length, now));
  }

  private Engine open(String name, List<StorageLayout> layouts) {
    DatasetConfig dataset =
        new DatasetConfig(
            name,
            new DatasetConfig.StoreConfig("cassandra", RealStores.cassandra().options()),
            List.of(new DatasetConfig.PeriodConfig(Instant.MIN, layouts)),
            null,
            DatasetConfig.Duplicates.LAST,
            Set.of(),
            false);
    return Engine.open(
        new EngineConfig(directory.resolve(name), RunningStore.MEMORY, List.of(dataset), name));
  }

  private void write(Dataset dataset) {
    BatchBuilder batch = new BatchBuilder();
    for (int host = 0; host < HOSTS; host++) {
      GroupKey key = GroupKey.of("cpu", Tags.of("host", "h" + host));
      for (long time = now - SPAN; time < now; time += MINUTE) {
        batch.group(key).add("value", time, time / 7.0);
      }
    }
    assertThat(dataset.write(batch.build()).refused()).isZero();
  }

  /** Asks all queries, notes them in the log, and returns their mean cost as it was counted. */
  private ReadCosts ask(Dataset dataset) {
    ReadCost sum = ReadCost.NOTHING;
    for (ReadRequest query : queries) {
      ReadCost cost = cost(dataset, query);
      dataset.usage().noteQuery(KIND, query, 1, 1, cost, 1);
      sum = sum.plus(cost);
    }
    double count = queries.size();
    return new ReadCosts(
        sum.requests() / count,
        sum.rows() / count,
        sum.cellsRead() / count,
        sum.bytesRead() / count,
        0);
  }

  private static ReadCost cost(Dataset dataset, ReadRequest query) {
    try (RunCursor runs = dataset.read(query)) {
      while (runs.next() != null) {
        // Only the cost matters.
      }
      return runs.cost();
    }
  }

  @Test
  void bucketsInPlaceOfTallRowsCostWhatTheAdvisorSays() {
    Advice advice;
    ReadCosts before;
    try (Engine engine = open("advised", Layouts.stored(TALL, Map.of()))) {
      Dataset dataset = engine.defaultDataset();
      write(dataset);
      before = ask(dataset);
      advice = dataset.usage().advise(ReadGuard.NONE);
    }
    Advice.Proposal proposal = Objects.requireNonNull(advice.proposal(), advice::toString);
    assertThat(advice.reasons().getFirst().rule()).isEqualTo(Rule.TALL_ROWS);
    assertThat(proposal.layouts()).singleElement().asString().contains("bucket");
    ReadCosts after;
    String yaml = String.valueOf(proposal.layouts().getFirst().yaml());
    try (Engine engine = open("advised-2", Layouts.stored(yaml, Map.of()))) {
      write(engine.defaultDataset());
      after = ask(engine.defaultDataset());
    }
    String told = "predicted %s, measured %s and %s".formatted(advice, before, after);
    near(told, advice.read(), before);
    near(told, proposal.read(), after);
    assertThat(after.rows()).as(told).isLessThan(before.rows() / 10);
    assertThat(after.requests()).as(told).isLessThanOrEqualTo(before.requests());
  }

  private static void near(String told, ReadCosts predicted, ReadCosts measured) {
    assertThat(measured.rows()).as(told).isBetween(predicted.rows() / 2, 2 * predicted.rows());
    assertThat(measured.cells()).as(told).isBetween(predicted.cells() / 2, 2 * predicted.cells());
    assertThat(measured.bytes()).as(told).isBetween(predicted.bytes() / 2, 2 * predicted.bytes());
  }
}
