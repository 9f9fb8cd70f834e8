package dev.varve.layout.opentsdb;

import dev.varve.layout.Binding;
import dev.varve.layout.CellDescription;
import dev.varve.layout.CellSink;
import dev.varve.layout.Domain;
import dev.varve.layout.Layout;
import dev.varve.layout.LayoutIdentity;
import dev.varve.layout.NameNumbers;
import dev.varve.layout.ReadScope;
import dev.varve.layout.RefusedException;
import dev.varve.layout.RowSamples;
import dev.varve.layout.RowShape;
import dev.varve.layout.Step;
import dev.varve.model.Attribute;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.SampleGroup;
import dev.varve.model.TimeRange;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.Power;
import dev.varve.store.TableSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * A table of roll-ups or pre-aggregates of OpenTSDB 2.4: one row per span and series, one cell per
 * interval and aggregator, and names as UIDs. The field of a sample is the name of its aggregator.
 *
 * <pre>
 *  qualifier                              value
 * +------------+---------------+-------+ +------------------------------+
 * | id         | interval : 12 | flags | | number, as in {@code tsdb}   |
 * +------------+---------------+-------+ +------------------------------+
 * | name ':'   |      older form       |
 * +------------+-----------------------+
 * </pre>
 */
public final class RollupLayout implements Layout {
  public static final String NAME = "opentsdb-rollup";

  /** The name of the table of roll-ups. */
  public static final String TABLE = "tsdb-rollup";

  private final OpenTsdbParameters parameters;
  private final RollupInterval interval;
  private final RollupCells cells;
  private final OpenTsdbLayout series;
  private final RowKeys keys;
  private final List<TableSpec> tables;
  private final Domain domain;

  /**
   * Creates the layout.
   *
   * @param parameters widths, salts and the form of floats, as of the table of points
   * @param aggregations the numbers of aggregators by name in lower case
   */
  public RollupLayout(
      OpenTsdbParameters parameters, RollupInterval interval, Map<String, Integer> aggregations) {
    this.parameters = parameters;
    this.interval = interval;
    keys = new RowKeys(parameters, new RollupBase(interval));
    cells = new RollupCells(parameters, interval, keys, aggregations);
    series = new OpenTsdbLayout(parameters, keys);
    domain =
        new Domain(
            Set.of(Kind.INT64, Kind.DOUBLE),
            Domain.Numbers.FINITE,
            TimeRange.closed(1000, 1000 * RollupBase.LAST_SECOND),
            1,
            parameters.maxTags(),
            null,
            false,
            true,
            Domain.Alphabet.LATIN1_WORD,
            false,
            false);
    tables =
        List.of(
            new TableSpec(
                TABLE,
                List.of(FamilySpec.latest("t")),
                Resolution.MILLISECONDS,
                keys.shape().partitioning()),
            UidTable.SPEC);
  }

  @Override
  public LayoutIdentity identity() {
    Map<String, String> texts = new TreeMap<>(parameters.identity().parameters());
    texts.remove("time");
    texts.put("interval", interval.text());
    texts.put("rowSpan", interval.rowSpan());
    texts.put("aggregations", cells.aggregations());
    return new LayoutIdentity(NAME, texts);
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
    return OpenTsdbLayout.DATA;
  }

  @Override
  public Set<Class<? extends Power>> needs() {
    return series.needs();
  }

  @Override
  public Domain domain() {
    return domain;
  }

  @Override
  public RowShape rows() {
    return keys.shape();
  }

  @Override
  public Step<Optional<Binding>> bind(GroupKey key, boolean create) {
    return series.bind(key, create);
  }

  @Override
  public long stampUnit() {
    return series.stampUnit();
  }

  @Override
  public void encode(Binding binding, SampleGroup group, long firstStamp, CellSink sink) {
    cells.write((UidBinding) binding, group, firstStamp, sink);
  }

  @Override
  public void encode(Binding binding, Attribute attribute, long stamp, CellSink sink) {
    throw new RefusedException(
        "opentsdb.attribute",
        "attribute '%s': a table of roll-ups holds roll-ups alone".formatted(attribute.name()));
  }

  @Override
  public List<FamilySelect> select(ReadScope scope) {
    return series.select(scope);
  }

  /** Returns empty: the cells of several aggregators do not sort by time. */
  @Override
  public Optional<Bytes> qualifierAt(long bucket, long time) {
    return Optional.empty();
  }

  @Override
  public boolean rowsInTimeOrder() {
    return false;
  }

  @Override
  public void decode(CellBatch batch, int from, int to, RowSamples out) {
    cells.read(batch, from, to, out);
  }

  @Override
  public Step<GroupKey> identify(Bytes row) {
    return series.identify(row);
  }

  @Override
  public CellDescription describe(int table, Cell cell) {
    return table == OpenTsdbLayout.UIDS ? series.describe(table, cell) : cells.describe(cell);
  }

  @Override
  public Optional<NameNumbers> numbers() {
    return series.numbers();
  }
}
