package dev.varve.engine.attach;

import dev.varve.engine.attach.Inspection.Candidate;
import dev.varve.engine.attach.Inspection.FoundTable;
import dev.varve.engine.periods.AbsentTable;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.Directory;
import dev.varve.layout.Guess;
import dev.varve.layout.Layout;
import dev.varve.layout.RefusedException;
import dev.varve.layout.RowSamples;
import dev.varve.layout.StepRunner;
import dev.varve.layout.registry.Inference;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.TimeRange;
import dev.varve.store.Capabilities.RowOrder;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.Store;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Inspects foreign tables in a store. Writes nothing. */
public final class TableInspector {
  private static final int EXAMPLES = 3;

  private final Store store;
  private final String layout;
  private final Map<String, String> given;
  private final Layout first;
  private final List<TableSpec> specs = new ArrayList<>();
  private final List<FoundTable> found = new ArrayList<>();

  /**
   * @param layout the name of the expected layout
   * @param given known parameters of the layout
   * @param names names of tables in the store, by their names in the layout. Others have the names
   *     that the original uses
   * @throws IllegalArgumentException if the layout or a table does not exist
   * @throws RefusedException if the layout does not accept a parameter
   */
  public TableInspector(
      Store store, String layout, Map<String, String> given, Map<String, String> names) {
    this.store = store;
    this.layout = layout;
    this.given = Map.copyOf(given);
    this.first = Layouts.of(layout, given);
    List<String> own = first.tables().stream().map(TableSpec::name).toList();
    for (String name : names.keySet()) {
      if (!own.contains(name)) {
        throw new IllegalArgumentException(
            "layout '%s' has no table '%s'; it has %s".formatted(layout, name, own));
      }
    }
    for (int i = 0; i < own.size(); i++) {
      String original = first.originalTables().get(i);
      specs.add(first.tables().get(i).attached(names.getOrDefault(own.get(i), original)));
    }
  }

  /**
   * Inspects the tables.
   *
   * @throws StoreException if the store fails
   */
  public Inspection inspect() {
    // Only the data table is required: later versions of the original add others.
    for (int i = 0; i < specs.size(); i++) {
      boolean isThere = store.exists(specs.get(i));
      List<String> problems = isThere || i == first.dataTable() ? problems(i, isThere) : List.of();
      found.add(
          new FoundTable(first.tables().get(i).name(), specs.get(i).name(), isThere, problems));
    }
    if (found.stream().anyMatch(table -> !table.problems().isEmpty())) {
      return new Inspection(found, List.of());
    }
    return new Inspection(found, candidates());
  }

  private List<String> problems(int table, boolean isThere) {
    List<String> problems = store.check(specs.get(table), Set.of());
    return isThere || !problems.isEmpty()
        ? problems
        : List.of(
            "the store has no table '%s'; --table %s=NAME names another"
                .formatted(specs.get(table).name(), first.tables().get(table).name()));
  }

  private List<Candidate> candidates() {
    List<@Nullable Table> tables = new ArrayList<>();
    try {
      for (int i = 0; i < specs.size(); i++) {
        tables.add(found.get(i).there() ? store.open(specs.get(i), OpenMode.READ_ONLY) : null);
      }
      return candidates(tables);
    } finally {
      for (Table table : tables) {
        if (table != null) {
          table.close();
        }
      }
    }
  }

  private List<Candidate> candidates(List<@Nullable Table> tables) {
    boolean ordered = store.capabilities(specs.get(first.dataTable())).order() == RowOrder.TABLE;
    List<List<Cell>> sampled = new ArrayList<>();
    tables.forEach(table -> sampled.add(new ArrayList<>()));
    for (Guess.Sample sample : ordered ? Inference.samples(first) : List.<Guess.Sample>of()) {
      Table table = tables.get(sample.table());
      if (table != null) {
        sampled.get(sample.table()).addAll(RowSampler.cells(table, sample));
      }
    }
    List<Candidate> candidates = new ArrayList<>();
    for (Guess guess : Inference.of(layout, given, sampled)) {
      candidates.add(tried(guess, tables, sampled));
    }
    candidates.sort(
        Comparator.comparing((Candidate candidate) -> !candidate.refusal().isEmpty())
            .thenComparing(Candidate::explained, Comparator.reverseOrder()));
    return candidates;
  }

  private Candidate tried(Guess proposed, List<@Nullable Table> tables, List<List<Cell>> sampled) {
    List<Table> open = new ArrayList<>();
    for (int i = 0; i < tables.size(); i++) {
      Table table = tables.get(i);
      open.add(table == null ? new AbsentTable(specs.get(i)) : table);
    }
    StepRunner steps =
        new StepRunner(
            open,
            () -> {
              throw new IllegalStateException("an inspection writes nothing");
            });
    Guess guess = proposed;
    Layout made = Layouts.of(layout, guess.parameters());
    Trial trial = new Trial(made, steps);
    String refusal = "";
    try {
      steps.run(made.opening());
      guess = steps.run(Inference.completed(guess, made));
      made = Layouts.of(layout, guess.parameters());
      trial = new Trial(made, steps);
      if (made.directory().isPresent()) {
        trial.tryListed(open.get(made.dataTable()));
      } else {
        trial.tryCells(sampled.get(made.dataTable()));
      }
    } catch (RefusedException | DamagedCellException e) {
      refusal = String.valueOf(e.getMessage());
    }
    return new Candidate(
        made,
        guess.parameters(),
        guess.evidence(),
        trial.rows,
        trial.explained,
        trial.examples(),
        refusal,
        guess.demand());
  }

  /** The attempt to decode rows with one layout. */
  private static final class Trial {
    private final Layout layout;
    private final StepRunner steps;
    private final List<String> good = new ArrayList<>();
    private final List<String> bad = new ArrayList<>();
    private int rows;
    private int explained;

    private Trial(Layout layout, StepRunner steps) {
      this.layout = layout;
      this.steps = steps;
    }

    private List<String> examples() {
      List<String> examples = new ArrayList<>(bad);
      examples.addAll(good);
      return examples;
    }

    private void tryListed(Table data) {
      var directory = layout.directory().orElseThrow();
      List<String> metrics = steps.run(directory.metrics());
      int stride = Math.max(1, metrics.size() / RowSampler.METRICS);
      for (int i = 0; i < metrics.size(); i += stride) {
        firstRows(directory, metrics.get(i))
            .forEach(row -> tryCells(RowSampler.row(data, row.row(), layout)));
      }
    }

    private List<Directory.Row> firstRows(Directory directory, String metric) {
      List<Directory.Row> rows = new ArrayList<>();
      @Nullable Bytes place = null;
      do {
        Directory.Page page =
            steps.run(directory.page(metric, TimeRange.ALL, place, RowSampler.ROWS_OF_METRIC));
        rows.addAll(page.listing().rows());
        place = page.place();
      } while (place != null && rows.size() < RowSampler.ROWS_OF_METRIC);
      return rows;
    }

    private void tryCells(List<Cell> cells) {
      CellBatch row = new CellBatch();
      for (Cell cell : cells) {
        if (!row.isEmpty() && !row.row(0).equals(cell.row())) {
          tryRow(row);
          row.clear();
        }
        row.add(cell);
      }
      if (!row.isEmpty()) {
        tryRow(row);
      }
    }

    private void tryRow(CellBatch row) {
      rows++;
      try {
        GroupKey key = steps.run(layout.identify(row.row(0)));
        RowSamples out = new RowSamples();
        layout.decode(row, 0, row.size(), out);
        if (!out.damages().isEmpty()) {
          note(bad, "row " + row.row(0) + ": " + out.damages().getFirst().reason());
          return;
        }
        explained++;
        note(good, "row " + row.row(0) + " is of " + key);
      } catch (DamagedCellException | RefusedException e) {
        note(bad, "row " + row.row(0) + ": " + e.getMessage());
      }
    }

    private static void note(List<String> examples, String example) {
      if (examples.size() < EXAMPLES) {
        examples.add(example);
      }
    }
  }
}
