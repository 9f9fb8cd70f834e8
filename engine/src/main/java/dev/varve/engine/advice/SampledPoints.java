package dev.varve.engine.advice;

import dev.varve.engine.read.DatasetReader;
import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.ReadRequest.Kinds;
import dev.varve.engine.request.ReadRequest.Order;
import dev.varve.engine.request.RunCursor;
import dev.varve.layout.Binding;
import dev.varve.layout.CellSink;
import dev.varve.layout.Layout;
import dev.varve.layout.ReadScope.Versions;
import dev.varve.layout.Refusal;
import dev.varve.layout.RefusedException;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Run;
import dev.varve.model.SampleGroup;
import dev.varve.model.Samples;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import dev.varve.model.TimeRange;
import dev.varve.store.Budget;
import dev.varve.store.CellBatch;
import dev.varve.store.MutationBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Some of the newest samples of some series, which show how many cells and bytes a layout makes of
 * a sample.
 */
final class SampledPoints {
  private static final int SERIES = 24;
  private static final int SAMPLES = 200;

  private final Batch batch;

  private SampledPoints(Batch batch) {
    this.batch = batch;
  }

  /**
   * The size of the samples in a layout.
   *
   * @param cells number of cells of a sample, those of indexes as well
   * @param bytesPerCell mean bytes of row key, qualifier and value of a cell of samples
   * @param refused why the layout refuses a sample; null if it takes all
   */
  record Encoded(double cells, double bytesPerCell, @Nullable String refused) {}

  /** Reads some samples of series that are spread over the catalog. */
  static SampledPoints of(SeriesRates rates, DatasetReader reader, ReadGuard guard) {
    return of(rates, reader, guard, SERIES, SAMPLES);
  }

  /**
   * Reads samples of series that are spread over the catalog.
   *
   * @param series number of series, at most twice as many
   * @param samples number of samples of each, the newest
   */
  static SampledPoints of(
      SeriesRates rates, DatasetReader reader, ReadGuard guard, int series, int samples) {
    BatchBuilder batch = new BatchBuilder(bytes -> guard.held(bytes, "samples of an advice"));
    int size = rates.rates().size();
    int step = Math.max(1, size / series);
    for (int i = 0; i < size; i += step) {
      guard.ensureWanted();
      add(rates.rates().get(i).key(), samples, reader, guard, batch);
    }
    return new SampledPoints(batch.build());
  }

  private static void add(
      GroupKey key, int newest, DatasetReader reader, ReadGuard guard, BatchBuilder batch) {
    List<TagFilter> filters = new ArrayList<>();
    filters.add(new TagFilter.Equal(Series.NAME_LABEL, key.metric()));
    Series series = key.field(Series.DEFAULT_FIELD);
    series.labels().forEach((name, value) -> filters.add(new TagFilter.Equal(name, value)));
    ReadRequest request =
        new ReadRequest(
            new Selector(filters),
            TimeRange.ALL,
            null,
            Versions.LATEST,
            Kinds.EACH,
            Order.TIME_WITHIN_SERIES,
            newest,
            true,
            Budget.UNLIMITED);
    try (RunCursor runs = reader.read(request, guard)) {
      for (Run run = runs.next(); run != null; run = runs.next()) {
        if (run.series().key().equals(key)) {
          add(run.series(), run.samples(), batch);
        }
      }
    }
  }

  private static void add(Series series, Samples samples, BatchBuilder batch) {
    for (int i = 0; i < samples.size(); i++) {
      batch.add(series.key(), series.field(), samples.time(i), samples.value(i));
    }
  }

  boolean isEmpty() {
    return batch.groups().isEmpty();
  }

  Batch batch() {
    return batch;
  }

  /** Encodes the samples in a layout. */
  Encoded in(Layout layout, Function<GroupKey, Optional<Binding>> bind) {
    Tally tally = new Tally(layout);
    for (SampleGroup group : batch.groups()) {
      try {
        Optional<Binding> binding = bind.apply(group.key());
        if (binding.isPresent()) {
          tally.samples += group.sampleCount();
          layout.encode(binding.get(), group, 1, tally);
        }
      } catch (RefusedException e) {
        tally.refused = e.refusal().message();
      }
    }
    return tally.encoded();
  }

  private static final class Tally implements CellSink {
    private final int dataTable;
    private final List<MutationBatch> data = new ArrayList<>();
    private final List<MutationBatch> index = new ArrayList<>();
    private long samples;
    private @Nullable String refused;

    private Tally(Layout layout) {
      dataTable = layout.dataTable();
      layout.tables().forEach(table -> data.add(new MutationBatch()));
      layout.tables().forEach(table -> index.add(new MutationBatch()));
    }

    @Override
    public MutationBatch data(int table) {
      return data.get(table);
    }

    @Override
    public MutationBatch index(int table) {
      return index.get(table);
    }

    @Override
    public void refuse(int column, int sample, Refusal refusal) {
      refused = refusal.message();
    }

    private Encoded encoded() {
      CellBatch cells = data.get(dataTable).cells();
      long bytes = 0;
      for (int i = 0; i < cells.size(); i++) {
        bytes += (long) cells.rowLength(i) + cells.qualifierLength(i) + cells.valueLength(i);
      }
      long all = data.stream().mapToLong(one -> one.cells().size()).sum();
      double each = samples == 0 ? 1 : (double) all / samples;
      return new Encoded(each, cells.isEmpty() ? 0 : (double) bytes / cells.size(), refused);
    }
  }
}
