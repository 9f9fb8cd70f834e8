package dev.varve.layout.kairosdb;

import dev.varve.layout.Binding;
import dev.varve.layout.CellDescription;
import dev.varve.layout.CellSink;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.Directory;
import dev.varve.layout.Domain;
import dev.varve.layout.Guess;
import dev.varve.layout.KeyOutput;
import dev.varve.layout.Layout;
import dev.varve.layout.LayoutIdentity;
import dev.varve.layout.LayoutParameter;
import dev.varve.layout.Parameters;
import dev.varve.layout.ReadScope;
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
import dev.varve.model.Series;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.FamilySelect;
import dev.varve.store.Power;
import dev.varve.store.TableSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The layout of KairosDB's tables. A row holds three weeks of samples of one metric, set of tags
 * and data type. A column name is the offset of a sample from the row time. Index tables list the
 * rows.
 *
 * <pre>
 *   data_points
 *     row        metric, UTF-8 | 00 | row time, 8 bytes | [ 00 | length, 1 byte | data type ] | tags
 *     qualifier  offset, 4 bytes, shifted by one bit in keyspaces older than 1.3
 *     cell time  time of the write, ms
 *     value      by the data type
 * </pre>
 *
 * The format is that of KairosDB 1.3.0, including all older formats that 1.3.0 reads. The rules of
 * its refusals are {@code kairosdb.text}, {@code .key}, {@code .resource}, {@code .field}, {@code
 * .time}, {@code .attribute}, {@code .parameter} and {@code .spec}. A row has one data type, so a
 * long and a double at the same instant are two samples. A read of one kind returns the one written
 * last; if both were written in the same millisecond, the double.
 */
public final class KairosDbLayout implements Layout {
  public static final String NAME = "kairosdb";

  private static final String UNIT = "unit";
  private static final String TAG_INDEXED = "tagIndexed";
  private static final String ROW_WIDTH = "rowWidth";

  /** Maximum number of metrics whose tag index is checked; each takes some point reads. */
  private static final int METRICS_OF_CHECK = 200;

  private static final int METRICS_OF_GUESS = 1000;
  private static final int REASONS_MAX = 5;

  /** The parameters of {@link #of}. */
  public static final List<LayoutParameter> PARAMETERS =
      List.of(
          new LayoutParameter(
              UNIT,
              "milliseconds",
              "what columns count: legacy (any keyspace older than 1.3), milliseconds, seconds"),
          new LayoutParameter(
              TAG_INDEXED,
              "",
              "metrics whose rows are listed by tag too, such as cpu(host,dc);mem, or *"),
          new LayoutParameter(
              ROW_WIDTH,
              Long.toString(ColumnUnit.MILLISECONDS.defaultWidth()),
              "row width as table spec has it, in ms; 1814400 with unit=seconds"));

  private final ColumnUnit unit;
  private final RowWidth width;
  private final TagIndex tagIndex;
  private final MetricPart metric = new MetricPart();
  private final RowTimePart rowTime;
  private final DataTypePart dataType;
  private final TagsPart tags = new TagsPart();
  private final RowShape rows;
  private final IndexReader index;
  private final KnownRows known = new KnownRows();

  private KairosDbLayout(ColumnUnit unit, RowWidth width, TagIndex tagIndex) {
    this.unit = unit;
    this.width = width;
    this.tagIndex = tagIndex;
    this.rowTime = new RowTimePart(width);
    this.dataType = new DataTypePart(unit);
    this.rows = new RowShape(List.of(metric, rowTime, dataType, tags), 4);
    this.index = new IndexReader(width, unit);
  }

  /**
   * Creates the layout from its parameters.
   *
   * @param given any of {@link #PARAMETERS}
   * @throws RefusedException if a parameter is unknown or out of range
   */
  public static KairosDbLayout of(Map<String, String> given) {
    Parameters parameters =
        Parameters.of(NAME, given, PARAMETERS.stream().map(LayoutParameter::name).toList());
    ColumnUnit unit = parameters.choice(UNIT, ColumnUnit.MILLISECONDS);
    long width = parameters.number(ROW_WIDTH, unit.defaultWidth(), 1, RowWidth.MAX);
    TagIndex tagIndex = TagIndex.parse(parameters.text(TAG_INDEXED, ""), parameters);
    return new KairosDbLayout(unit, new RowWidth(width), tagIndex);
  }

  @Override
  public LayoutIdentity identity() {
    return new LayoutIdentity(
        NAME,
        Map.of(
            UNIT,
            unit.name().toLowerCase(Locale.ROOT),
            ROW_WIDTH,
            Long.toString(width.millis()),
            TAG_INDEXED,
            tagIndex.toString(),
            "codec.tuple",
            "1"));
  }

  @Override
  public Resolution resolution() {
    return Resolution.MILLISECONDS;
  }

  @Override
  public List<TableSpec> tables() {
    return Tables.ALL;
  }

  @Override
  public int dataTable() {
    return Tables.DATA_POINTS;
  }

  @Override
  public Set<Class<? extends Power>> needs() {
    return Set.of();
  }

  @Override
  public Domain domain() {
    return new Domain(
        Set.of(Kind.INT64, Kind.DOUBLE, Kind.STRING),
        Domain.Numbers.ONE_NAN,
        width.times(),
        0,
        Integer.MAX_VALUE,
        null,
        false,
        false,
        Domain.Alphabet.UTF8_TEXT,
        false,
        false);
  }

  @Override
  public RowShape rows() {
    return rows;
  }

  @Override
  public Step<Optional<Binding>> bind(GroupKey key, boolean create) {
    return Step.done(Optional.of(KairosDbBinding.of(key, tagIndex)));
  }

  /** Cell times are milliseconds. */
  @Override
  public long stampUnit() {
    return 1000;
  }

  @Override
  public void encode(Binding binding, SampleGroup group, long firstStamp, CellSink sink) {
    new SampleWriter(width, unit, (KairosDbBinding) binding, sink).write(group, firstStamp);
  }

  @Override
  public void encode(Binding binding, Attribute attribute, long stamp, CellSink sink) {
    throw new RefusedException(
        "kairosdb.attribute",
        "KairosDB has no place for attributes, and %s has '%s'"
            .formatted(attribute.key(), attribute.name()));
  }

  @Override
  public List<FamilySelect> select(ReadScope scope) {
    boolean asked = scope.fields() == null || scope.fields().contains(Series.DEFAULT_FIELD);
    return asked ? List.of(FamilySelect.latest(0)) : List.of();
  }

  /** A row without a data type may hold an int64 and a double of one instant. */
  @Override
  public boolean needsCellTimes() {
    return unit == ColumnUnit.LEGACY;
  }

  @Override
  public Optional<Bytes> qualifierAt(long bucket, long time) {
    return Optional.of(unit.columnFrom(time - bucket));
  }

  @Override
  public boolean rowsInTimeOrder() {
    return true;
  }

  @Override
  public void decode(CellBatch cells, int from, int to, RowSamples out) {
    if (from == to) {
      return;
    }
    SampleReader reader;
    try {
      int start = cells.rowOffset(from);
      reader = reader(cells.bytes(), start, start + cells.rowLength(from), out);
    } catch (DamagedCellException e) {
      String reason = damage(cells.row(from), e);
      for (int i = from; i < to; i++) {
        out.damaged(i, reason);
      }
      return;
    }
    reader.read(cells, from, to);
  }

  private SampleReader reader(byte[] row, int start, int end, RowSamples out) {
    int time = metric.skip(row, start, end);
    int type = rowTime.skip(row, time, end);
    tags.skip(row, dataType.skip(row, type, end), end);
    return new SampleReader(
        width, unit, rowTime.timeAt(row, time, end), dataType.typeAt(row, type, end), out);
  }

  /**
   * Returns why a row key is damaged, with byte positions relative to the key, not to the batch.
   */
  private String damage(Bytes row, DamagedCellException inBatch) {
    byte[] bytes = row.toArray();
    try {
      rows.decode(bytes, 0, bytes.length, new KeyOutput());
    } catch (DamagedCellException e) {
      return String.valueOf(e.getMessage());
    }
    return String.valueOf(inBatch.getMessage());
  }

  @Override
  public Step<GroupKey> identify(Bytes row) {
    byte[] bytes = row.toArray();
    KeyOutput out = new KeyOutput();
    rows.decode(bytes, 0, bytes.length, out);
    return Step.done(out.key());
  }

  @Override
  public CellDescription describe(int table, Cell cell) {
    return new Descriptions(rows, width, unit, index).describe(table, cell);
  }

  @Override
  public Step<List<Step.TableCell>> opening() {
    return new KairosDbSpec(unit, width).opening();
  }

  @Override
  public Optional<Directory> directory() {
    return Optional.of(listing());
  }

  @Override
  public Optional<TextTable> texts() {
    return Optional.of(new ServiceIndex());
  }

  private KairosDbDirectory listing() {
    return new KairosDbDirectory(rows, width, index, tagIndex, known);
  }

  /**
   * {@inheritDoc}
   *
   * <p>KairosDB before 1.2 does not read {@code row_keys} and cannot find rows that this layout
   * writes. KairosDB also looks up rows by tag if so configured, so all writers must index them the
   * same way.
   */
  @Override
  public Step<List<String>> coWriting(Set<Integer> missing) {
    List<String> absent =
        Tables.WRITTEN.stream()
            .filter(missing::contains)
            .map(table -> Tables.ALL.get(table).name())
            .toList();
    if (!absent.isEmpty()) {
      return Step.done(
          List.of(
              "the keyspace has no table %s, which KairosDB creates since 1.2: older versions would not find what is written now; start a newer KairosDB on the keyspace once, or attach read-only"
                  .formatted(String.join(", ", absent))));
    }
    if (missing.contains(Tables.TAG_INDEXED_ROW_KEYS)) {
      return Step.done(
          tagIndex.tagsOf().isEmpty()
              ? List.of()
              : List.of(
                  "tagIndexed is %s, and the keyspace has no table tag_indexed_row_keys"
                      .formatted(tagIndex)));
    }
    return listing()
        .metrics()
        .then(
            metrics -> new TagIndexSurvey(index).of(TagIndexSurvey.some(metrics, METRICS_OF_CHECK)))
        .map(this::notIndexed);
  }

  private List<String> notIndexed(List<TagIndexSurvey.Listed> found) {
    List<String> reasons = new ArrayList<>();
    for (TagIndexSurvey.Listed listed : found) {
      for (String tag : listed.indexed()) {
        if (!tagIndex.covers(listed.metric(), tag) && reasons.size() < REASONS_MAX) {
          reasons.add(
              "KairosDB lists rows of metric '%s' by tag '%s' in tag_indexed_row_keys, but tagIndexed does not name it, so KairosDB would not find by that tag what is written here: set tagIndexed to the value of kairosdb.datastore.cassandra.tag_indexed_row_key_lookup_metrics, perhaps '%s'"
                  .formatted(listed.metric(), tag, TagIndexSurvey.inferred(found)));
        }
      }
    }
    return reasons;
  }

  /**
   * Adds to a guess the tag index inferred from the tables.
   *
   * @param guess a guess at the other parameters of this layout
   */
  public Step<Guess> withTagIndex(Guess guess) {
    if (guess.parameters().containsKey(TAG_INDEXED)) {
      return Step.done(guess);
    }
    return listing()
        .metrics()
        .then(metrics -> {
          List<String> some = TagIndexSurvey.some(metrics, METRICS_OF_GUESS);
          return new TagIndexSurvey(index)
              .of(some)
              .map(found -> withTagIndex(guess, found, some.size(), metrics.size()));
        });
  }

  private static Guess withTagIndex(
      Guess guess, List<TagIndexSurvey.Listed> found, int asked, int metrics) {
    TagIndex inferred = TagIndexSurvey.inferred(found);
    List<String> evidence = new ArrayList<>(guess.evidence());
    evidence.add(
        "tag_indexed_row_keys lists the newest rows of %d metrics by tag, of %d that were looked at, of %d"
            .formatted(
                found.stream().filter(listed -> !listed.indexed().isEmpty()).count(),
                asked,
                metrics));
    if (inferred.tagsOf().isEmpty()) {
      return new Guess(guess.parameters(), evidence, guess.demand());
    }
    found.stream()
        .filter(listed -> !listed.indexed().isEmpty())
        .limit(REASONS_MAX)
        .forEach(listed ->
            evidence.add(
                "metric '%s': listed by %s, not by %s"
                    .formatted(listed.metric(), listed.indexed(), listed.others())));
    Map<String, String> parameters = new TreeMap<>(guess.parameters());
    parameters.put(TAG_INDEXED, inferred.toString());
    return new Guess(parameters, evidence, guess.demand());
  }
}
