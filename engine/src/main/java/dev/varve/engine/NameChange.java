package dev.varve.engine;

import dev.varve.engine.catalog.CatalogBudget;
import dev.varve.engine.catalog.Matches.Match;
import dev.varve.engine.catalog.SeriesIdentity;
import dev.varve.engine.catalog.SeriesIndex;
import dev.varve.engine.error.CorruptDataException;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.home.SeriesTable;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.write.DatasetWriter;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.NameNumbers;
import dev.varve.layout.NameNumbers.Part;
import dev.varve.layout.NameNumbers.Renaming;
import dev.varve.layout.Refusal;
import dev.varve.layout.RefusedException;
import dev.varve.layout.Step;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.store.MutationBatch;
import dev.varve.store.RowOutcome;
import dev.varve.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Changes a name in the tables of a dataset and in its catalog: series keep their rows, whose keys
 * have numbers, and get other labels.
 *
 * <p>The catalog first gets the series under the new name, which have no rows yet. Then, while
 * nobody writes, the tables change and the series under the old name are removed. A change that is
 * interrupted can be repeated.
 */
final class NameChange {
  private static final int SERIES_AT_ONCE = 1000;
  private static final long MARK_AHEAD_MICROS = 1_000_000;

  private final OpenDataset dataset;
  private final DatasetWriter writer;
  private final CatalogBudget budget;
  private final PlacedLayout layout;
  private final NameNumbers numbers;

  /**
   * @param budget has to have room for the series under their new labels
   * @param layout the only one of the dataset
   */
  NameChange(
      OpenDataset dataset,
      DatasetWriter writer,
      CatalogBudget budget,
      PlacedLayout layout,
      NameNumbers numbers) {
    this.dataset = dataset;
    this.writer = writer;
    this.budget = budget;
    this.layout = layout;
    this.numbers = numbers;
  }

  /**
   * Changes a name in the tables and in the catalog.
   *
   * @return the outcome in the tables; anything but {@link Renaming.Done} has no effect
   * @throws QueryRefusedException if a name cannot be stored, the catalog is full, or a delete is
   *     pending, which names its series by labels
   * @throws WriteFailedException if a store failed. The change may be half done; repeat it
   */
  Renaming rename(Part part, String old, String name) {
    Renaming obstacle = obstacle(part, old, name);
    if (obstacle != null) {
      return obstacle;
    }
    return writing(() -> {
      add(part, old, name);
      Renaming outcome =
          writer.alone(() -> {
            refuseBesideDeletes();
            writer.forgetNames();
            Renaming renamed = run(numbers.rename(part, old, name));
            writer.forgetNames();
            if (renamed instanceof Renaming.Done) {
              remove(part, old);
            }
            return renamed;
          });
      writer.forgetNames();
      return outcome;
    });
  }

  /** Follows a change that was made elsewhere in tables that the dataset shares. */
  void follow(Part part, String old, String name) {
    writing(() -> {
      add(part, old, name);
      writer.alone(() -> {
        writer.forgetNames();
        remove(part, old);
        return true;
      });
      return true;
    });
  }

  /** Removes the series from the catalog whose names the tables no longer have. */
  void removeUnnamed() {
    Selector all = new Selector(List.of());
    SeriesIndex index = dataset.index();
    removeUnnamed(
        Part.METRIC,
        index.labelValues(Series.NAME_LABEL, all, null, Integer.MAX_VALUE, ReadGuard.NONE));
    List<String> tags = index.labelNames(all, null, ReadGuard.NONE);
    removeUnnamed(Part.TAG_NAME, tags);
    for (String tag : tags) {
      removeUnnamed(
          Part.TAG_VALUE, index.labelValues(tag, all, null, Integer.MAX_VALUE, ReadGuard.NONE));
    }
  }

  private void removeUnnamed(Part part, List<String> names) {
    for (String name : names) {
      if (run(numbers.number(part, name, false)).isEmpty()) {
        writer.alone(() -> {
          if (run(numbers.number(part, name, false)).isEmpty()) {
            remove(part, name);
          }
          return true;
        });
      }
    }
  }

  private void refuseBesideDeletes() {
    if (!dataset.deletes().isEmpty()) {
      throw new QueryRefusedException(
          "a delete of dataset '%s' is not done yet, and names its series by their labels; rename once it is"
              .formatted(dataset.name()));
    }
  }

  /** Returns why nothing will change; null if nothing is known to prevent it. */
  private @Nullable Renaming obstacle(Part part, String old, String name) {
    refuseBesideDeletes();
    layout.forget();
    Optional<Bytes> number = run(numbers.number(part, old, false));
    if (number.isEmpty()) {
      return new Renaming.Unknown();
    }
    Optional<Bytes> taken = run(numbers.number(part, name, false));
    return taken.isPresent() && !taken.equals(number)
        ? new Renaming.Taken(taken.orElseThrow())
        : null;
  }

  private <T> T run(Step<T> step) {
    try {
      return layout.run(step);
    } catch (DamagedCellException e) {
      throw new CorruptDataException(String.valueOf(e.getMessage()));
    } catch (RefusedException e) {
      throw new QueryRefusedException(String.valueOf(e.getMessage()));
    }
  }

  private <T> T writing(Supplier<T> work) {
    try {
      return work.get();
    } catch (StoreException e) {
      throw new WriteFailedException(
          "the name cannot be changed, or is changed in part, so repeat it: " + e.getMessage(),
          e.unknown());
    }
  }

  private void add(Part part, String old, String name) {
    List<Match> some = new ArrayList<>();
    for (Match match : having(part, old)) {
      GroupKey key = renamed(match.key(), part, old, name);
      Refusal full =
          dataset.index().find(SeriesIdentity.of(key)) < 0 ? budget.series(key.byteCount()) : null;
      if (full != null) {
        throw new QueryRefusedException(full.message());
      }
      some.add(new Match(match.series(), key, match.fields()));
      if (some.size() == SERIES_AT_ONCE) {
        addAll(some);
        some.clear();
      }
    }
    addAll(some);
  }

  /** Adds keys, with the fields and extents that the catalog has for their numbers. */
  private void addAll(List<Match> keys) {
    if (keys.isEmpty()) {
      return;
    }
    SeriesIndex index = dataset.index();
    long stamp = dataset.stamps(1);
    MutationBatch edits = new MutationBatch();
    for (Match one : keys) {
      SeriesIdentity identity = SeriesIdentity.of(one.key());
      SeriesTable.putKey(edits, identity, one.key(), stamp);
      for (String field : one.fields()) {
        for (Kind kind : Kind.values()) {
          if (index.hasField(one.series(), field, kind)) {
            SeriesTable.putField(edits, identity, field, kind, stamp);
          }
        }
      }
      TimeRange extent = index.extent(one.series());
      if (!extent.isEmpty()) {
        SeriesTable.putExtent(edits, identity, extent, index.count(one.series()), stamp);
      }
    }
    apply(keys.stream().map(Match::key).toList(), edits, stamp);
    keys.forEach(this::remember);
  }

  private void remember(Match one) {
    SeriesIndex index = dataset.index();
    int number = index.add(SeriesIdentity.of(one.key()), one.key());
    for (String field : one.fields()) {
      for (Kind kind : Kind.values()) {
        if (index.hasField(one.series(), field, kind)) {
          index.addField(number, field, kind);
        }
      }
    }
    TimeRange extent = index.extent(one.series());
    if (!extent.isEmpty()) {
      index.extend(number, extent);
    }
    index.countAtLeast(number, index.count(one.series()));
  }

  private void remove(Part part, String old) {
    List<Match> all = having(part, old);
    for (int from = 0; from < all.size(); from += SERIES_AT_ONCE) {
      List<Match> some = all.subList(from, Math.min(all.size(), from + SERIES_AT_ONCE));
      long stamp = dataset.stamps(1);
      MutationBatch edits = new MutationBatch();
      some.forEach(one -> SeriesTable.putRemoved(edits, SeriesIdentity.of(one.key()), stamp));
      apply(some.stream().map(Match::key).toList(), edits, stamp);
      some.forEach(one -> dataset.index().remove(one.series()));
    }
  }

  private void apply(List<GroupKey> keys, MutationBatch edits, long stamp) {
    dataset.tellOthers(keys.stream().map(SeriesIdentity::of).toList());
    dataset.marks().reach(stamp, MARK_AHEAD_MICROS);
    for (RowOutcome outcome : dataset.home().series().table().apply(edits, dataset.earlier())) {
      if (!outcome.applied()) {
        throw new StoreException("the catalog cannot be written: " + outcome.reason());
      }
    }
  }

  private List<Match> having(Part part, String name) {
    Selector selector = part == Part.METRIC ? Selector.metric(name) : new Selector(List.of());
    return dataset.index().match(selector, null).stream()
        .filter(match -> has(match.key(), part, name))
        .toList();
  }

  private static boolean has(GroupKey key, Part part, String name) {
    Tags tags = key.tags();
    return switch (part) {
      case METRIC -> key.metric().equals(name);
      case TAG_NAME -> tags.has(name);
      case TAG_VALUE -> tags.toMap().containsValue(name);
    };
  }

  private static GroupKey renamed(GroupKey key, Part part, String old, String name) {
    return switch (part) {
      case METRIC -> new GroupKey(name, key.tags(), key.resource());
      case TAG_NAME -> {
        String value = Objects.requireNonNull(key.tags().get(old));
        Tags tags = key.tags().without(old).with(name, value);
        yield new GroupKey(key.metric(), tags, key.resource());
      }
      case TAG_VALUE -> {
        Tags tags = key.tags();
        for (String tag : tags.names()) {
          tags = old.equals(tags.get(tag)) ? tags.with(tag, name) : tags;
        }
        yield new GroupKey(key.metric(), tags, key.resource());
      }
    };
  }
}
