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
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Changes a name in the tables of a dataset and in its catalog: series keep their rows, whose keys
 * have numbers, and get other labels.
 *
 * <p>The catalog first gets the series under the new name, which have no rows yet. Then, while
 * nobody writes, it gets what writers have added under the old name meanwhile, the tables change,
 * and the series under the old name are removed. A change that is interrupted can be repeated.
 */
final class NameChange {
  private static final int SERIES_AT_ONCE = 1000;
  private static final long MARK_AHEAD_MICROS = 1_000_000;

  private record Field(String name, Kind kind) {}

  /**
   * A series under its new key.
   *
   * @param fields of the series under its old key, as are the extent and the number of samples
   */
  private record Copy(
      SeriesIdentity identity, GroupKey key, List<Field> fields, TimeRange extent, long samples) {}

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
      add(having(part, old), part, old, name);
      Renaming outcome =
          writer.alone(() -> {
            refuseBesideDeletes();
            List<Match> all = having(part, old);
            addMissing(all, part, old, name);
            writer.forgetNames();
            Renaming renamed = run(numbers.rename(part, old, name));
            writer.forgetNames();
            if (renamed instanceof Renaming.Done) {
              remove(all);
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
      add(having(part, old), part, old, name);
      writer.alone(() -> {
        writer.forgetNames();
        List<Match> all = having(part, old);
        addMissing(all, part, old, name);
        remove(all);
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
            remove(having(part, name));
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
    return taken.isPresent() && (old.equals(name) || !taken.equals(number))
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

  /** Adds series under their new keys, those that the catalog has already once more. */
  private void add(List<Match> all, Part part, String old, String name) {
    add(all, copy -> true, part, old, name);
  }

  /**
   * Adds what writers have added to series since {@link #add}: series, fields and times. Nobody
   * writes meanwhile.
   */
  private void addMissing(List<Match> all, Part part, String old, String name) {
    add(all, copy -> !isAdded(copy), part, old, name);
  }

  private void add(List<Match> all, Predicate<Copy> wanted, Part part, String old, String name) {
    List<Copy> some = new ArrayList<>();
    for (Match match : all) {
      Copy copy = copy(match, renamed(match.key(), part, old, name));
      if (!wanted.test(copy)) {
        continue;
      }
      Refusal full =
          dataset.index().find(copy.identity()) < 0 ? budget.series(copy.key().byteCount()) : null;
      if (full != null) {
        throw new QueryRefusedException(full.message());
      }
      some.add(copy);
      if (some.size() == SERIES_AT_ONCE) {
        addAll(some);
        some.clear();
      }
    }
    addAll(some);
  }

  /** Returns what the catalog has about a series now. */
  private Copy copy(Match match, GroupKey key) {
    SeriesIndex index = dataset.index();
    List<Field> fields = new ArrayList<>();
    for (String field : match.fields()) {
      for (Kind kind : Kind.values()) {
        if (index.hasField(match.series(), field, kind)) {
          fields.add(new Field(field, kind));
        }
      }
    }
    return new Copy(
        SeriesIdentity.of(key),
        key,
        fields,
        index.extent(match.series()),
        index.count(match.series()));
  }

  /** Returns whether the catalog has all of a copy. */
  private boolean isAdded(Copy copy) {
    SeriesIndex index = dataset.index();
    int number = index.find(copy.identity());
    return number >= 0
        && copy.fields().stream().allMatch(of -> index.hasField(number, of.name(), of.kind()))
        && (copy.extent().isEmpty()
            || copy.extent().equals(copy.extent().intersect(index.extent(number))));
  }

  private void addAll(List<Copy> copies) {
    if (copies.isEmpty()) {
      return;
    }
    long stamp = dataset.stamps(1);
    MutationBatch edits = new MutationBatch();
    for (Copy one : copies) {
      SeriesTable.putKey(edits, one.identity(), one.key(), stamp);
      for (Field field : one.fields()) {
        SeriesTable.putField(edits, one.identity(), field.name(), field.kind(), stamp);
      }
      if (!one.extent().isEmpty()) {
        SeriesTable.putExtent(edits, one.identity(), one.extent(), one.samples(), stamp);
      }
    }
    apply(copies.stream().map(Copy::key).toList(), edits, stamp);
    copies.forEach(this::remember);
  }

  /** Adds a copy to the index: what the home has, and nothing that was written meanwhile. */
  private void remember(Copy one) {
    SeriesIndex index = dataset.index();
    int number = index.add(one.identity(), one.key());
    one.fields().forEach(field -> index.addField(number, field.name(), field.kind()));
    if (!one.extent().isEmpty()) {
      index.extend(number, one.extent());
    }
    index.countAtLeast(number, one.samples());
  }

  private void remove(List<Match> all) {
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
