package dev.varve.layout.kairosdb;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.Step;
import dev.varve.model.Bytes;
import dev.varve.model.Tags;
import dev.varve.store.CellBatch;
import dev.varve.store.FamilySelect;
import dev.varve.store.Limits;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Finds out from the tables by which tags KairosDB indexes the rows of a metric. Only KairosDB's
 * configuration states it, so a few of the newest rows are looked up in {@code
 * tag_indexed_row_keys} under each of their tags.
 */
final class TagIndexSurvey {
  private static final int ROWS_OF_METRIC = 3;
  private static final List<FamilySelect> FAMILY = List.of(FamilySelect.latest(0));

  private final IndexReader index;

  TagIndexSurvey(IndexReader index) {
    this.index = index;
  }

  /**
   * A metric with rows.
   *
   * @param indexed tags by which the rows are indexed
   * @param others tags by which they are not
   */
  record Listed(String metric, SortedSet<String> indexed, SortedSet<String> others) {}

  /**
   * Returns the configuration that explains the index found. A metric indexed by all of its tags is
   * listed without tags; if several metrics were found and all are indexed by all tags, the result
   * is {@link TagIndex#EVERYTHING}.
   */
  static TagIndex inferred(List<Listed> found) {
    Map<String, Set<String>> tagsOf = new TreeMap<>();
    boolean all = found.size() > 1;
    for (Listed listed : found) {
      if (!listed.indexed().isEmpty()) {
        tagsOf.put(listed.metric(), listed.others().isEmpty() ? Set.of() : listed.indexed());
      }
      all &= listed.others().isEmpty();
    }
    return all ? TagIndex.EVERYTHING : new TagIndex(tagsOf);
  }

  /** Returns at most {@code most} metrics, evenly spread over the list. */
  static List<String> some(List<String> metrics, int most) {
    int stride = Math.ceilDiv(Math.max(1, metrics.size()), most);
    List<String> some = new ArrayList<>();
    for (int i = 0; i < metrics.size(); i += stride) {
      some.add(metrics.get(i));
    }
    return some;
  }

  /** Returns the findings for those of the metrics that have rows. */
  Step<List<Listed>> of(List<String> metrics) {
    List<String> named =
        metrics.stream().filter(metric -> KairosDbBinding.problem(metric).isEmpty()).toList();
    if (named.isEmpty()) {
      return Step.done(List.of());
    }
    List<Step.TableRead> times =
        named.stream()
            .map(metric -> read(Tables.ROW_KEY_TIME_INDEX, Tuple.texts(metric), Limits.NONE))
            .toList();
    return new Step.Look<>(times, false, answers -> newestRows(newest(named, answers)));
  }

  private static Step.TableRead read(int table, Bytes row, Limits limits) {
    return new Step.TableRead(
        table, ReadPlan.of(List.of(Slice.row(row, row)), FAMILY).with(limits));
  }

  /** Returns for each metric the row of {@code row_keys} that lists its newest row time. */
  private Map<String, Bytes> newest(List<String> metrics, List<CellBatch> answers) {
    Map<String, Bytes> newest = new LinkedHashMap<>();
    for (int i = 0; i < metrics.size(); i++) {
      long last = Long.MIN_VALUE;
      CellBatch cells = answers.get(i);
      for (int cell = 0; cell < cells.size(); cell++) {
        try {
          last = Math.max(last, index.timeIndex(cells.cell(cell)).rowTime());
        } catch (DamagedCellException e) {
          // Reported when the directory is listed; here another row will do.
        }
      }
      if (last > Long.MIN_VALUE) {
        KeyBytes row = new KeyBytes();
        Tuple.text(metrics.get(i), row);
        Tuple.timestamp(last, row.raw(Tables.DATA_POINTS_COLUMN));
        newest.put(metrics.get(i), row.toBytes());
      }
    }
    return newest;
  }

  private Step<List<Listed>> newestRows(Map<String, Bytes> newest) {
    if (newest.isEmpty()) {
      return Step.done(List.of());
    }
    Limits few = Limits.NONE.withCells(ROWS_OF_METRIC);
    List<Step.TableRead> keys =
        newest.values().stream().map(row -> read(Tables.ROW_KEYS, row, few)).toList();
    return new Step.Look<>(keys, false, answers -> lookUp(newest, answers));
  }

  /** A tag of a metric to look up. */
  private record Pair(String metric, String tag) {}

  private Step<List<Listed>> lookUp(Map<String, Bytes> newest, List<CellBatch> answers) {
    List<Pair> pairs = new ArrayList<>();
    List<Step.TableRead> reads = new ArrayList<>();
    List<String> metrics = List.copyOf(newest.keySet());
    for (int i = 0; i < metrics.size(); i++) {
      String metric = metrics.get(i);
      for (Tags tags : tags(answers.get(i))) {
        tags.forEach((name, value) -> {
          KeyBytes row = new KeyBytes().raw(Objects.requireNonNull(newest.get(metric)));
          Tuple.text(TagIndex.pair(name, value), row);
          pairs.add(new Pair(metric, name));
          reads.add(read(Tables.TAG_INDEXED_ROW_KEYS, row.toBytes(), Limits.NONE.withCells(1)));
        });
      }
    }
    return reads.isEmpty()
        ? Step.done(List.of())
        : new Step.Look<>(reads, false, found -> Step.done(listed(pairs, found)));
  }

  private List<Tags> tags(CellBatch cells) {
    List<Tags> tags = new ArrayList<>();
    for (int cell = 0; cell < cells.size(); cell++) {
      try {
        tags.add(index.rowKeys(cells.cell(cell)).tags());
      } catch (DamagedCellException e) {
        // As above.
      }
    }
    return tags;
  }

  private static List<Listed> listed(List<Pair> pairs, List<CellBatch> found) {
    Map<String, Listed> listed = new LinkedHashMap<>();
    for (int i = 0; i < pairs.size(); i++) {
      Pair pair = pairs.get(i);
      Listed of =
          listed.computeIfAbsent(
              pair.metric(), metric -> new Listed(metric, new TreeSet<>(), new TreeSet<>()));
      (found.get(i).isEmpty() ? of.others() : of.indexed()).add(pair.tag());
    }
    listed.values().forEach(of -> of.others().removeAll(of.indexed()));
    return List.copyOf(listed.values());
  }
}
