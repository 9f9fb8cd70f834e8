package dev.varve.engine;

import dev.varve.engine.catalog.SeriesBounds;
import dev.varve.engine.catalog.SeriesNumbers;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.heat.HeatFinding;
import dev.varve.engine.heat.HeatFindings;
import dev.varve.engine.heat.HeatKeeper;
import dev.varve.engine.heat.HeatMap;
import dev.varve.engine.heat.HeatSlice;
import dev.varve.engine.heat.RowName;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.engine.request.ReadGuard;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.Layout;
import dev.varve.layout.RefusedException;
import dev.varve.layout.block.BlockKey;
import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.model.Series;
import dev.varve.store.TableSpec;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The heat maps of a dataset: which rows of its tables are read and written. */
public final class HeatMaps {
  /** The width of the coarsest slices. */
  private static final long COARSEST_MILLIS = 4 * 3_600_000L;

  /** Heap bytes of a load with its place in a list. */
  private static final int CELL_BYTES = 80;

  private final OpenDataset open;
  private final HeatKeeper keeper;

  /** The series that a map may reveal; null for all. */
  private final @Nullable SeriesBounds bounds;

  HeatMaps(OpenDataset open, HeatKeeper keeper, @Nullable SeriesBounds bounds) {
    this.open = open;
    this.keeper = keeper;
    this.bounds = bounds;
  }

  /** Returns the selector of the series that maps reveal; null if they reveal all. */
  public @Nullable String within() {
    return bounds == null ? null : bounds.text();
  }

  /**
   * A table that is counted.
   *
   * @param name in the store
   * @param layout the layout whose table it is
   * @param data whether it has the samples, and not an index
   */
  public record MappedTable(String name, String layout, boolean data) {}

  /**
   * A heat map with names.
   *
   * @param names of the rows' first keys, in their order. Bound users see tokens in place of the
   *     keys; their requests may name these tokens
   */
  public record Named(HeatMap map, List<RowName> names, List<HeatFinding> findings) {
    public Named {
      names = List.copyOf(names);
      findings = List.copyOf(findings);
    }
  }

  /** Returns the tables that are counted, those with samples first. */
  public List<MappedTable> tables() {
    return keeper.tables().stream()
        .map(this::table)
        .sorted((a, b) -> Boolean.compare(b.data(), a.data()))
        .toList();
  }

  private MappedTable table(String name) {
    PlacedLayout placed = placed(name);
    return placed == null
        ? new MappedTable(name, "blocks", true)
        : new MappedTable(name, placed.name(), placed.dataTable().spec().name().equals(name));
  }

  /** Returns the layout of a table of cells; null for blocks. */
  @Nullable PlacedLayout placed(String table) {
    return open.layouts()
        .filter(placed -> {
          for (int i = 0; i < placed.layout().tables().size(); i++) {
            if (placed.table(i).spec().name().equals(table)) {
              return true;
            }
          }
          return false;
        })
        .findFirst()
        .orElse(null);
  }

  /**
   * Returns the heat map of a table. That of a bound user adds up the ranges of rows that can have
   * no other series than theirs, and has no findings, which compare rows with all others.
   *
   * @param table one of {@link #tables()}
   * @param guard accounts for memory, and may end the read
   * @throws QueryRefusedException if the request of a bound user names rows that their map lacks
   */
  public Named map(String table, HeatMap.Request request, ReadGuard guard) {
    long from = Math.max(0, Math.floorDiv(request.from(), COARSEST_MILLIS) * COARSEST_MILLIS);
    guard.held((long) CELL_BYTES * request.rows() * request.columns(), "cells of a heat map");
    List<HeatSlice> slices =
        keeper.read(table, from, request.to(), guard).stream()
            .filter(slice -> slice.from() >= request.from() || slice.to() > request.from())
            .toList();
    if (bounds != null) {
      return within(bounds, table, request, slices, guard);
    }
    HeatMap map = HeatMap.of(request, slices);
    List<RowName> names = map.rows().stream().map(row -> name(table, row)).toList();
    return new Named(map, names, HeatFindings.of(slices, softRow(table), row -> name(table, row)));
  }

  private Named within(
      SeriesBounds of,
      String table,
      HeatMap.Request request,
      List<HeatSlice> slices,
      ReadGuard guard) {
    RowsWithin rows = new RowsWithin(open, placed(table), table, of, guard);
    List<HeatSlice> admitted =
        slices.stream().map(slice -> slice.within(rows)).filter(Objects::nonNull).toList();
    RowTokens tokens = new RowTokens(table);
    admitted.forEach(slice -> slice.ranges().forEach(range -> addBounds(range, tokens)));
    Bytes toRow = request.toRow();
    HeatMap map =
        HeatMap.of(
            request.between(
                tokens.row(request.fromRow()), toRow == null ? null : tokens.row(toRow)),
            admitted);
    List<RowName> names = map.rows().stream().map(row -> hidden(tokens, name(table, row))).toList();
    return new Named(map, names, List.of());
  }

  private static void addBounds(HeatSlice.Range range, RowTokens tokens) {
    tokens.add(range.from());
    HeatSlice.Stretch sampled = range.sampled();
    if (sampled != null) {
      tokens.add(sampled.first());
      tokens.add(sampled.last().successor());
    }
  }

  /** Returns a name without the bytes of the key. */
  private static RowName hidden(RowTokens tokens, RowName name) {
    Bytes token = tokens.of(name.row());
    return name.labels().isEmpty()
        ? new RowName(token, "row " + token.hex(), Map.of(), null)
        : new RowName(token, name.text(), name.labels(), name.time());
  }

  private long softRow(String table) {
    PlacedLayout placed = placed(table);
    TableSpec spec = placed == null ? null : placed.dataTable().spec();
    return spec == null ? Long.MAX_VALUE : open.store().capabilities(spec).limits().softRow();
  }

  /** Returns the name of a row, as far as its key can be decoded. */
  RowName name(String table, Bytes row) {
    RowName name = decoded(table, row);
    if (name == null && row.length() > 1 && row.at(row.length() - 1) == 0) {
      // The bound after a hot row is that row with a zero.
      RowName before = decoded(table, row.slice(0, row.length() - 1));
      name =
          before == null
              ? null
              : new RowName(row, "after " + before.text(), before.labels(), before.time());
    }
    return name != null ? name : new RowName(row, raw(row), Map.of(), null);
  }

  private @Nullable RowName decoded(String table, Bytes row) {
    PlacedLayout placed = placed(table);
    if (row.isEmpty()) {
      return new RowName(row, "first row", Map.of(), null);
    }
    if (placed == null) {
      return ofBlocks(row);
    }
    return placed.dataTable().spec().name().equals(table) ? ofCells(placed, row) : null;
  }

  private @Nullable RowName ofCells(PlacedLayout placed, Bytes row) {
    Layout layout = placed.layout();
    try {
      Map<String, String> labels =
          labels(placed.run(layout.identify(row)).field(Series.DEFAULT_FIELD));
      Long time =
          layout.rows().lastTimePart() < 0
              ? null
              : (Long) layout.rows().time(row.toArray(), 0, row.length());
      return new RowName(row, text(labels, time), labels, time);
    } catch (DamagedCellException | RefusedException e) {
      return null;
    }
  }

  private @Nullable RowName ofBlocks(Bytes row) {
    byte[] bytes = row.toArray();
    boolean ofTimes = BlockKey.isRowOfTimes(bytes, 0, bytes.length);
    if (!ofTimes && !BlockKey.isRow(bytes, 0, bytes.length)) {
      return null;
    }
    Long time = BlockKey.times(BlockKey.bucket(bytes, 0), open.resolution()).from();
    if (ofTimes) {
      return new RowName(row, "shared times " + at(time), Map.of(), time);
    }
    SeriesNumbers numbers = open.index().numbers();
    int key = numbers.key(BlockKey.series(bytes, 0));
    if (key < 0) {
      return null;
    }
    Map<String, String> labels =
        labels(open.index().key(key).field(numbers.field(BlockKey.series(bytes, 0))));
    return new RowName(row, text(labels, time), labels, time);
  }

  private static Map<String, String> labels(Series series) {
    Map<String, String> labels = new TreeMap<>(series.labels());
    labels.put(Series.NAME_LABEL, series.metric());
    return labels;
  }

  private String text(Map<String, String> labels, @Nullable Long time) {
    StringBuilder text = new StringBuilder(labels.getOrDefault(Series.NAME_LABEL, ""));
    String separator = "{";
    for (Map.Entry<String, String> label : labels.entrySet()) {
      if (!label.getKey().equals(Series.NAME_LABEL)) {
        text.append(separator)
            .append(label.getKey())
            .append("=\"")
            .append(label.getValue())
            .append('"');
        separator = ",";
      }
    }
    text.append(separator.equals(",") ? "}" : "");
    return time == null ? text.toString() : text + " " + at(time);
  }

  private String at(long time) {
    Resolution resolution = open.resolution();
    long seconds = Math.floorDiv(time, resolution.perSecond());
    long nanos =
        Math.floorMod(time, resolution.perSecond()) * (1_000_000_000L / resolution.perSecond());
    try {
      return Instant.ofEpochSecond(seconds, nanos).toString();
    } catch (DateTimeException e) {
      return Long.toString(time);
    }
  }

  /** Returns a key as text if its bytes are text, and as hexadecimal digits if they are not. */
  private static String raw(Bytes row) {
    String text = new String(row.toArray(), StandardCharsets.UTF_8);
    boolean isText = text.chars().allMatch(c -> c >= ' ' && c != 0x7f && c != 0xfffd);
    return isText ? text : "0x" + row.hex();
  }
}
