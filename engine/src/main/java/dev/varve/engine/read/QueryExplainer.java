package dev.varve.engine.read;

import dev.varve.engine.request.QueryExplanation;
import dev.varve.engine.request.QueryExplanation.PeriodRead;
import dev.varve.engine.request.QueryExplanation.ShownSlice;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyPart;
import dev.varve.layout.Layout;
import dev.varve.layout.RowShape;
import dev.varve.layout.plan.Plan;
import dev.varve.model.Bytes;
import dev.varve.model.Run;
import dev.varve.model.Series;
import dev.varve.model.TimeRange;
import dev.varve.store.FamilySelect;
import dev.varve.store.QualifierRange;
import dev.varve.store.Slice;
import dev.varve.store.Table;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Creates human-readable explanations of reads. */
final class QueryExplainer {
  private static final int SLICES_SHOWN = 1000;

  private QueryExplainer() {}

  static QueryExplanation explain(Reading reading, RunStream stream, boolean analyze) {
    List<PeriodRead> reads = stream.plans().stream().map(QueryExplainer::explain).toList();
    return new QueryExplanation(reading.matches().size(), reads, analyze ? run(stream) : null);
  }

  private static QueryExplanation.Actual run(RunStream stream) {
    long start = System.nanoTime();
    long samples = 0;
    Set<Series> series = new HashSet<>();
    for (Run run = stream.next(); run != null; run = stream.next()) {
      samples += run.samples().size();
      series.add(run.series());
    }
    return new QueryExplanation.Actual(
        stream.cost(), series.size(), samples, System.nanoTime() - start);
  }

  private static PeriodRead explain(PeriodPlan read) {
    return switch (read) {
      case PlannedRead cells -> explain(cells);
      case PlannedBlocks blocks -> explain(blocks);
    };
  }

  private static PeriodRead explain(PlannedBlocks read) {
    List<ShownSlice> slices = new ArrayList<>();
    int buckets = read.tiers().buckets(read.times()).size();
    long rows = (long) buckets * read.matches().size();
    Plan plan =
        new Plan(
            List.of(),
            new Plan.Estimate(
                buckets,
                rows,
                OptionalLong.of(rows),
                OptionalLong.of(rows),
                OptionalLong.empty(),
                OptionalLong.empty()),
            List.of(),
            List.of(
                "the heads and bodies of blocks of %d buckets, and samples in memory"
                    .formatted(buckets)));
    return new PeriodRead(
        read.times(),
        read.period().layoutName(),
        plan,
        slices,
        List.of("samples before " + read.times().from() + " or from " + read.times().to() + " on"),
        List.of());
  }

  private static PeriodRead explain(PlannedRead read) {
    List<ShownSlice> slices = new ArrayList<>();
    for (Plan.StrandGroup group : read.plan().groups()) {
      for (Plan.Strand strand : group.strands()) {
        for (Slice slice : strand.read().slices()) {
          if (slices.size() < SLICES_SHOWN) {
            slices.add(show(read, read.layout().table(strand.table()), slice));
          }
        }
      }
    }
    return new PeriodRead(
        read.times(), read.layout().name(), read.plan(), slices, filters(read), read.lost());
  }

  private static ShownSlice show(PlannedRead read, Table table, Slice slice) {
    RowShape shape = read.layout().layout().rows();
    @Nullable Bytes end = slice.toRow();
    return new ShownSlice(
        table.spec().name(),
        show(shape, slice.partition()),
        show(shape, slice.fromRow(), slice.fromQualifier()),
        end == null ? "the end of the partition" : show(shape, end, slice.toQualifier()),
        hex(slice.fromRow(), slice.fromQualifier()),
        end == null ? "" : hex(end, slice.toQualifier()));
  }

  private static String hex(Bytes row, Bytes qualifier) {
    return qualifier.isEmpty() ? row.hex() : row.hex() + " " + qualifier.hex();
  }

  private static String show(RowShape shape, Bytes row, Bytes qualifier) {
    String shown = show(shape, row);
    return qualifier.isEmpty() ? shown : shown + ", qualifier " + qualifier;
  }

  /**
   * Returns the parts of a row key as far as they can be decoded, and the remaining bytes in
   * hexadecimal.
   */
  private static String show(RowShape shape, Bytes row) {
    byte[] bytes = row.toArray();
    List<String> shown = new ArrayList<>();
    int at = 0;
    try {
      for (KeyPart part : shape.parts()) {
        if (at == bytes.length) {
          break;
        }
        int next = part.skip(bytes, at, bytes.length);
        shown.add(part.label() + "=" + part.show(bytes, at, next));
        at = next;
      }
    } catch (DamagedCellException e) {
      // A bound may end within a part; its remaining bytes are shown in hexadecimal.
    }
    if (at < bytes.length) {
      shown.add(row.slice(at, bytes.length).hex());
    }
    return String.join(", ", shown);
  }

  private static List<String> filters(PlannedRead read) {
    Layout layout = read.layout().layout();
    List<String> filters = new ArrayList<>();
    boolean filtered = false;
    for (Plan.StrandGroup group : read.plan().groups()) {
      filtered |= group.strands().stream().anyMatch(Plan.Strand::filtered);
    }
    if (filtered) {
      filters.add("rows of series that do not match");
    }
    TimeRange times = read.times();
    if (!times.equals(TimeRange.ALL)) {
      filters.add("samples before " + times.from() + " or from " + times.to() + " on");
    }
    for (FamilySelect select : selects(read)) {
      if (!select.qualifiers().isEmpty()) {
        filters.add(
            "family '%s': qualifiers outside of %s"
                .formatted(
                    layout.tables().get(layout.dataTable()).families().get(select.family()).name(),
                    select.qualifiers().stream().map(QueryExplainer::show).toList()));
      }
    }
    return filters;
  }

  private static String show(QualifierRange range) {
    return range.from() + ".." + (range.to() == null ? "" : range.to());
  }

  private static List<FamilySelect> selects(PlannedRead read) {
    return read.plan().groups().isEmpty()
        ? List.of()
        : read.plan().groups().getFirst().strands().getFirst().read().families();
  }
}
