package dev.varve.layout.opentsdb;

import dev.varve.layout.Binding;
import dev.varve.layout.CellDescription;
import dev.varve.layout.CellSink;
import dev.varve.layout.Compaction;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.Domain;
import dev.varve.layout.Layout;
import dev.varve.layout.LayoutIdentity;
import dev.varve.layout.NameNumbers;
import dev.varve.layout.NoteCells;
import dev.varve.layout.ReadScope;
import dev.varve.layout.Refusal;
import dev.varve.layout.RefusedException;
import dev.varve.layout.RowSamples;
import dev.varve.layout.RowShape;
import dev.varve.layout.Step;
import dev.varve.layout.TextTable;
import dev.varve.model.Attribute;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.SampleGroup;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.Power;
import dev.varve.store.TableSpec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The layout of OpenTSDB 2.x: one row per hour and series, one cell per point, and names as UIDs.
 *
 * <p>It writes the same bytes as OpenTSDB 2.4.0 and reads what any earlier version wrote. See
 * {@code docs/layouts/opentsdb.md}.
 */
public final class OpenTsdbLayout implements Layout {
  public static final String NAME = "opentsdb";

  static final int DATA = 0;
  static final int UIDS = 1;
  static final int POINTS = 0;

  /** Younger rows are not compacted, because they still receive points: an hour and a second. */
  private static final long COMPACTION_AGE_MILLIS = RowKeys.HOUR_MILLIS + 1000;

  /** The latest cell time in ms that fits into a stamp in microseconds. */
  private static final long CELL_TIME_MAX = Long.MAX_VALUE / 1000;

  private final OpenTsdbParameters parameters;
  private final RowKeys keys;
  private final UidTable uids;
  private final SampleWriter writer;
  private final List<TableSpec> tables;
  private final Domain domain;

  public OpenTsdbLayout(OpenTsdbParameters parameters) {
    this(parameters, new RowKeys(parameters));
  }

  /** Creates a layout whose series have other row keys. */
  OpenTsdbLayout(OpenTsdbParameters parameters, RowKeys keys) {
    this.parameters = parameters;
    this.keys = keys;
    domain =
        new Domain(
            Set.of(Kind.INT64, Kind.DOUBLE),
            Domain.Numbers.FINITE,
            TimeRange.closed(1, RowKeys.LAST_TIME),
            1,
            parameters.maxTags(),
            null,
            false,
            false,
            Domain.Alphabet.LATIN1_WORD,
            true,
            false);
    uids = new UidTable(parameters);
    writer = new SampleWriter(parameters, keys);
    tables =
        List.of(
            new TableSpec(
                "tsdb",
                List.of(FamilySpec.latest("t")),
                Resolution.MILLISECONDS,
                keys.shape().partitioning()),
            UidTable.SPEC);
  }

  /**
   * Creates the layout from parameters.
   *
   * @param parameters any of {@link OpenTsdbParameters#LIST}
   * @throws RefusedException if a parameter is unknown or out of range
   */
  public static OpenTsdbLayout of(Map<String, String> parameters) {
    return new OpenTsdbLayout(OpenTsdbParameters.of(parameters));
  }

  public OpenTsdbParameters parameters() {
    return parameters;
  }

  @Override
  public LayoutIdentity identity() {
    return parameters.identity();
  }

  @Override
  public Resolution resolution() {
    return Resolution.MILLISECONDS;
  }

  @Override
  public List<TableSpec> tables() {
    return tables;
  }

  @Override
  public int dataTable() {
    return DATA;
  }

  @Override
  public Set<Class<? extends Power>> needs() {
    return Set.of(Power.ConditionalPut.class, Power.Increment.class);
  }

  @Override
  public Domain domain() {
    return domain;
  }

  @Override
  public RowShape rows() {
    return keys.shape();
  }

  /**
   * {@inheritDoc}
   *
   * <p>The key without metric and tags holds the global annotations, which belong to no series.
   */
  @Override
  public Step<Optional<Binding>> bind(GroupKey key, boolean create) {
    if (isGlobal(key)) {
      Bytes metric = Bytes.of(new byte[parameters.metricWidth()]);
      return Step.done(Optional.of(new UidBinding(key, metric, Bytes.EMPTY, 0)));
    }
    check(key, create);
    return uids.uids(names(key), create).map(found -> found.map(uids -> binding(key, uids)));
  }

  private static boolean isGlobal(GroupKey key) {
    return key.metric().isEmpty() && key.tags().isEmpty() && key.resource().isEmpty();
  }

  private void check(GroupKey key, boolean create) {
    if (!key.resource().isEmpty()) {
      throw new RefusedException(
          "opentsdb.resource", "resource %s: OpenTSDB has only tags".formatted(key.resource()));
    }
    checkName("opentsdb.metric", "metric", key.metric(), create);
    Tags tags = key.tags();
    if (tags.isEmpty() || tags.size() > parameters.maxTags()) {
      throw new RefusedException(
          "opentsdb.tags",
          "%d tags: a series of this OpenTSDB has 1 to %d"
              .formatted(tags.size(), parameters.maxTags()));
    }
    for (int i = 0; i < tags.size(); i++) {
      checkName("opentsdb.tags", "tag name", tags.name(i), create);
      checkName("opentsdb.tags", "value of tag " + tags.name(i), tags.value(i), create);
    }
  }

  private static void checkName(String rule, String what, String name, boolean create) {
    String flaw = UidTable.flaw(what, name, !create);
    if (flaw != null) {
      throw new RefusedException(rule, flaw);
    }
  }

  /**
   * Returns the metric, then the name and value of each tag. The tags have the original's order,
   * that of a hash table with 16 slots, so that new names get the same UIDs.
   */
  private static List<UidTable.Name> names(GroupKey key) {
    Tags tags = key.tags();
    List<UidTable.Name> names = new ArrayList<>(1 + 2 * tags.size());
    names.add(new UidTable.Name(UidTable.Kind.METRIC, key.metric()));
    IntStream.range(0, tags.size())
        .boxed()
        .sorted(Comparator.comparingInt(tag -> hashPlace(tags.name(tag))))
        .forEach(tag -> {
          names.add(new UidTable.Name(UidTable.Kind.TAGK, tags.name(tag)));
          names.add(new UidTable.Name(UidTable.Kind.TAGV, tags.value(tag)));
        });
    return names;
  }

  private static int hashPlace(String name) {
    int hash = name.hashCode();
    return (hash ^ (hash >>> 16)) & 15;
  }

  private Binding binding(GroupKey key, List<Bytes> uids) {
    List<Bytes> sorted = new ArrayList<>();
    for (int i = 1; i < uids.size(); i += 2) {
      sorted.add(uids.get(i).concat(uids.get(i + 1)));
    }
    sorted.sort(Comparator.naturalOrder());
    Bytes pairs = sorted.stream().reduce(Bytes.EMPTY, Bytes::concat);
    return new UidBinding(key, uids.getFirst(), pairs, keys.bucket(uids.getFirst(), pairs));
  }

  /** Cell times are milliseconds. */
  @Override
  public long stampUnit() {
    return 1000;
  }

  @Override
  public void encode(Binding binding, SampleGroup group, long firstStamp, CellSink sink) {
    writer.write((UidBinding) binding, group, firstStamp, sink);
  }

  @Override
  public void encode(Binding binding, Attribute attribute, long stamp, CellSink sink) {
    UidBinding bound = (UidBinding) binding;
    Long time = attribute.time();
    if (time == null) {
      throw new RefusedException(
          "opentsdb.attribute",
          "attribute '%s' has no time; OpenTSDB keeps what belongs to an instant"
              .formatted(attribute.name()));
    }
    Refusal refusal = SampleWriter.timeRefusal(timeForm(attribute), time);
    if (refusal != null) {
      throw new RefusedException(refusal.rule(), refusal.message());
    }
    Attachments.Written cell = Attachments.write(bound, attribute, time, parameters.time());
    byte[] row = keys.row(bound, 0);
    keys.setBase(row, time - time % RowKeys.HOUR_MILLIS);
    sink.data(DATA)
        .put(Bytes.of(row), POINTS, cell.qualifier(), Math.floorDiv(stamp, 1000L), cell.value());
  }

  /**
   * Returns the form of an attribute's time; parameters do not change the qualifiers of
   * annotations.
   */
  private OpenTsdbParameters.TimeForm timeForm(Attribute attribute) {
    return attribute.name().equals(Attachments.ANNOTATION)
        ? OpenTsdbParameters.TimeForm.AUTO
        : parameters.time();
  }

  @Override
  public List<FamilySelect> select(ReadScope scope) {
    return List.of(FamilySelect.latest(POINTS));
  }

  /**
   * Returns empty: points in seconds, in milliseconds and in compacted columns do not sort by time.
   */
  @Override
  public Optional<Bytes> qualifierAt(long bucket, long time) {
    return Optional.empty();
  }

  @Override
  public boolean rowsInTimeOrder() {
    return false;
  }

  /**
   * {@inheritDoc}
   *
   * <p>If different cells hold samples of one instant, all of them are returned. The stamp says
   * which one wins: the one with the later cell time or, at equal cell times, the first in the row,
   * as in the original.
   */
  @Override
  public void decode(CellBatch cells, int from, int to, RowSamples out) {
    if (from == to) {
      return;
    }
    long base;
    try {
      int row = cells.rowOffset(from);
      base = keys.base(cells.bytes(), row, row + cells.rowLength(from));
    } catch (DamagedCellException e) {
      for (int cell = from; cell < to; cell++) {
        out.damaged(cell, message(e));
      }
      return;
    }
    for (int cell = from; cell < to; cell++) {
      try {
        Columns.Content content = Columns.content(cells, cell);
        if (content.points()) {
          Columns.read(content, cells, cell, base, stamp(cells.time(cell), cell - from), out);
        } else {
          Attachments.read(keys, content, cells, cell, base, out);
        }
      } catch (DamagedCellException e) {
        out.damaged(cell, message(e));
      }
    }
  }

  private static long stamp(long cellTime, int place) {
    return 1000 * Math.clamp(cellTime, -CELL_TIME_MAX, CELL_TIME_MAX) - Math.min(place, 999);
  }

  private static String message(DamagedCellException e) {
    @Nullable String message = e.getMessage();
    return message == null ? e.toString() : message;
  }

  @Override
  public Step<GroupKey> identify(Bytes row) {
    List<Bytes> found = keys.uids(row);
    if (found.size() == 1) {
      return Step.done(GroupKey.of("", Tags.EMPTY));
    }
    List<UidTable.Kind> kinds = new ArrayList<>(found.size());
    for (int i = 0; i < found.size(); i++) {
      kinds.add(
          i == 0 ? UidTable.Kind.METRIC : i % 2 == 1 ? UidTable.Kind.TAGK : UidTable.Kind.TAGV);
    }
    return uids.names(kinds, found).map(OpenTsdbLayout::key);
  }

  private static GroupKey key(List<String> names) {
    Map<String, String> tags = new TreeMap<>();
    for (int i = 1; i < names.size(); i += 2) {
      if (tags.put(names.get(i), names.get(i + 1)) != null) {
        throw new DamagedCellException(
            "row key: two tagk UIDs have the name '%s' in tsdb-uid".formatted(names.get(i)));
      }
    }
    return GroupKey.of(names.getFirst(), Tags.of(tags));
  }

  @Override
  public CellDescription describe(int table, Cell cell) {
    return table == UIDS ? uids.describe(cell) : DataCellText.describe(keys, cell);
  }

  @Override
  public Optional<NameNumbers> numbers() {
    return Optional.of(new Uids(uids));
  }

  @Override
  public Optional<TextTable> seriesTexts() {
    return Optional.of(new MetaTable());
  }

  @Override
  public Optional<NoteCells> notes() {
    return Optional.of(new AnnotationCells(keys, parameters));
  }

  @Override
  public Optional<Compaction> compaction() {
    return Optional.of(this::compact);
  }

  /**
   * Merges the points of one row into a single cell and deletes the merged cells, as the original
   * does in the background and on reading. If several points have the same instant, the one in the
   * newest cell is kept. Rows with an appended column are left alone, as are rows younger than an
   * hour and a second, which still receive points. The new cell gets the cell time of the newest
   * merged cell, and no newer cell is deleted, so concurrent writes of other servers win.
   *
   * @param cells all cells of the row in family {@code t}, from {@code from} (inclusive) to {@code
   *     to} (exclusive)
   * @param now milliseconds since 1970
   * @param out receives the put, then the deletes
   * @return whether there is anything to write
   * @throws DamagedCellException if the row key or a column is damaged; {@code out} then contains
   *     nothing of the row
   */
  public boolean compact(CellBatch cells, int from, int to, long now, MutationBatch out) {
    if (from == to) {
      return false;
    }
    int row = cells.rowOffset(from);
    long base = keys.base(cells.bytes(), row, row + cells.rowLength(from));
    return base <= now - COMPACTION_AGE_MILLIS && RowCompaction.compact(cells, from, to, base, out);
  }
}
