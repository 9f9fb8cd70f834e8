package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.varve.model.Bytes;
import dev.varve.store.CellBatch;
import dev.varve.store.ColumnTuple;
import dev.varve.store.StoreException;
import dev.varve.store.TableForm;
import dev.varve.store.TableSpec;
import dev.varve.store.TypedColumn;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A foreign table, whose columns are declared. A row key is a partition; a qualifier is the rest of
 * the key, either one column or several as a tuple.
 */
final class ForeignTable implements FamilyTable {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final Requests requests;
  private final String table;
  private final TimeToLive timeToLive;
  private final List<TypedColumn> partition;
  private final List<TypedColumn> clustering;
  private final @Nullable TypedColumn value;

  /** Whether keys are tuples, as opposed to the bytes of a single column. */
  private final boolean tuples;

  private final String put;
  private final String select;
  private final String selectTimed;
  private final String whereRow;
  private final String whereCell;

  /** Sets the columns that every change of a row sets; null if there are none. */
  private final @Nullable String touch;

  ForeignTable(Requests requests, TableSpec spec) {
    this.requests = requests;
    this.table =
        CqlNames.quoted(requests.options().keyspace()) + "." + CqlNames.quoted(spec.name());
    this.timeToLive = TimeToLive.of(TableOptions.timeToLive(spec.upkeep()));
    switch (spec.form()) {
      case TableForm.KeyColumnValue form -> {
        partition = List.of(form.key());
        clustering = List.of(form.column());
        value = form.value();
        tuples = false;
        put = insert(List.of(), List.of());
        touch = null;
      }
      case TableForm.Columns form -> {
        partition = form.partition();
        clustering = form.clustering();
        value = form.value();
        tuples = true;
        put =
            insert(
                form.extras().keySet().stream().sorted().toList(),
                form.extras().keySet().stream().sorted().map(form.extras()::get).toList());
        touch = form.extras().isEmpty() ? null : touch(form);
      }
      case TableForm.Cells cells ->
          throw new StoreException(
              "the layout must declare the columns of foreign table '%s'".formatted(spec.name()));
    }
    String cell = names(clustering) + (value == null ? "" : ", " + name(value));
    String time = value == null ? "" : ", writetime(" + name(value) + ")";
    this.select = "SELECT " + cell + " FROM " + table;
    this.selectTimed = "SELECT " + cell + time + " FROM " + table;
    this.whereRow = equal(partition);
    this.whereCell = whereRow + " AND " + equal(clustering);
  }

  private String insert(List<String> extraNames, List<String> extraTerms) {
    List<String> names = new ArrayList<>();
    List<String> terms = new ArrayList<>();
    for (List<TypedColumn> columns :
        List.of(partition, clustering, value == null ? List.<TypedColumn>of() : List.of(value))) {
      for (TypedColumn column : columns) {
        names.add(name(column));
        terms.add("?");
      }
    }
    extraNames.forEach(extra -> names.add(CqlNames.quoted(extra)));
    terms.addAll(extraTerms);
    return "INSERT INTO %s (%s) VALUES (%s) USING TIMESTAMP ? AND TTL ?"
        .formatted(table, String.join(", ", names), String.join(", ", terms));
  }

  private String touch(TableForm.Columns form) {
    String columns =
        form.extras().entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .map(extra -> CqlNames.quoted(extra.getKey()) + " = " + extra.getValue())
            .collect(Collectors.joining(", "));
    return "UPDATE %s USING TIMESTAMP ? SET %s WHERE %s"
        .formatted(table, columns, equal(partition));
  }

  private static String name(TypedColumn column) {
    return CqlNames.quoted(column.name());
  }

  private static String names(List<TypedColumn> columns) {
    return columns.stream().map(ForeignTable::name).collect(Collectors.joining(", "));
  }

  private static String equal(List<TypedColumn> columns) {
    return columns.stream()
        .map(column -> name(column) + " = ?")
        .collect(Collectors.joining(" AND "));
  }

  @Override
  public WriteTimes times() {
    return new MillisecondTimes();
  }

  /**
   * Returns the values of the columns in the form of Cassandra's protocol.
   *
   * @throws IllegalArgumentException if the columns cannot hold the bytes
   */
  private List<ByteBuffer> split(Bytes bytes, List<TypedColumn> columns) {
    if (tuples) {
      return ColumnTuple.split(bytes, columns).stream()
          .map(part -> Buffers.of(part.value()))
          .toList();
    }
    if (!isValue(bytes, columns.getFirst())) {
      throw new IllegalArgumentException(
          "column %s is text, and %s is not UTF-8".formatted(columns.getFirst().name(), bytes));
    }
    return List.of(Buffers.of(bytes));
  }

  private static boolean isValue(Bytes bytes, TypedColumn column) {
    if (column.type() != TypedColumn.Type.TEXT) {
      return true;
    }
    try {
      StandardCharsets.UTF_8.newDecoder().decode(Buffers.of(bytes));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }

  private List<@Nullable Object> cell(CellBatch edits, int edit) {
    List<@Nullable Object> values = new ArrayList<>(split(edits.row(edit), partition));
    values.addAll(split(edits.qualifier(edit), clustering));
    return values;
  }

  @Override
  public BoundStatement put(CellBatch edits, int edit, long stamp) {
    List<@Nullable Object> values = cell(edits, edit);
    if (value != null) {
      values.add(ByteBuffer.wrap(edits.bytes(), edits.valueOffset(edit), edits.valueLength(edit)));
    }
    values.add(stamp);
    values.add(timeToLive.seconds());
    return requests.bind(put, values.toArray());
  }

  /**
   * Returns the statement that accompanies the delete of a column and sets the static columns as a
   * put does. Null if there are none.
   */
  @Nullable BoundStatement touch(CellBatch edits, int edit, long stamp) {
    if (touch == null) {
      return null;
    }
    List<@Nullable Object> values = new ArrayList<>(split(edits.row(edit), partition));
    values.addFirst(stamp);
    return requests.bind(touch, values.toArray());
  }

  /** Deletes a column. */
  BoundStatement deleteColumn(CellBatch edits, int edit, long stamp) {
    List<@Nullable Object> values = cell(edits, edit);
    values.addFirst(stamp);
    return requests.bind(delete(whereCell), values.toArray());
  }

  /** Deletes a range of qualifiers; only valid if {@link #isOneBlob}. */
  BoundStatement deleteQualifiers(CellBatch edits, int edit, long stamp) {
    List<@Nullable Object> values = new ArrayList<>(split(edits.row(edit), partition));
    values.addFirst(stamp);
    values.addAll(split(edits.qualifier(edit), clustering));
    values.addAll(split(edits.value(edit), clustering));
    String column = name(clustering.getFirst());
    return requests.bind(
        delete(whereRow + " AND " + column + " >= ? AND " + column + " < ?"), values.toArray());
  }

  /**
   * Returns whether a qualifier is one column of bytes, so that statements can have any range of
   * qualifiers.
   */
  boolean isOneBlob() {
    return !tuples && clustering.getFirst().type() == TypedColumn.Type.BLOB;
  }

  /** Deletes a row. */
  BoundStatement deleteRow(CellBatch edits, int edit, long stamp) {
    List<@Nullable Object> values = new ArrayList<>(split(edits.row(edit), partition));
    values.addFirst(stamp);
    return requests.bind(delete(whereRow), values.toArray());
  }

  private String delete(String where) {
    return "DELETE FROM " + table + " USING TIMESTAMP ? WHERE " + where;
  }

  /** Reads a column. */
  BoundStatement selectColumn(CellBatch edits, int edit) {
    return requests.bind(selectTimed + " WHERE " + whereCell, cell(edits, edit).toArray());
  }

  @Override
  public BoundStatement select(
      PartitionRange stretch, boolean reverse, boolean cellTimes, Requests.Wanted wanted) {
    List<@Nullable Object> values;
    try {
      values = new ArrayList<>(split(stretch.partition(), partition));
    } catch (IllegalArgumentException e) {
      throw new StoreException(
          "row key %s is not valid in table %s: %s"
              .formatted(stretch.partition(), table, e.getMessage()),
          e);
    }
    StringBuilder cql = new StringBuilder(cellTimes ? selectTimed : select);
    cql.append(" WHERE ").append(whereRow);
    if (tuples) {
      // Without a range, Cassandra returns a row without clustering columns for a partition that
      // holds only static columns.
      cql.append(" AND ").append(name(clustering.getFirst())).append(" >= ?");
      values.add(lowest(clustering.getFirst()));
    }
    Bytes from = stretch.from().qualifier();
    Bytes to = qualifierEnd(stretch);
    if (!tuples && !from.isEmpty() && isValue(from, clustering.getFirst())) {
      cql.append(" AND ").append(name(clustering.getFirst())).append(" >= ?");
      values.add(Buffers.of(from));
    }
    if (!tuples && to != null && isValue(to, clustering.getFirst())) {
      cql.append(" AND ").append(name(clustering.getFirst())).append(" < ?");
      values.add(Buffers.of(to));
    }
    return requests.bind(wanted, cql.toString(), values.toArray());
  }

  /** Returns the value of a column that sorts first. */
  private static ByteBuffer lowest(TypedColumn column) {
    return switch (column.type()) {
      case BLOB, TEXT -> ByteBuffer.allocate(0);
      case INT -> ByteBuffer.allocate(Integer.BYTES).putInt(0, Integer.MIN_VALUE);
      case TIMESTAMP -> ByteBuffer.allocate(Long.BYTES).putLong(0, Long.MIN_VALUE);
      // The first four bytes are the number of entries.
      case MAP -> ByteBuffer.allocate(Integer.BYTES);
    };
  }

  private static @Nullable Bytes qualifierEnd(PartitionRange stretch) {
    Position to = stretch.to();
    return to == null || !to.key().isEmpty() ? null : to.qualifier();
  }

  @Override
  public boolean isIn(PartitionRange stretch, Row row) {
    if (isOneBlob()) {
      // The statement has the same bounds.
      return true;
    }
    Bytes to = qualifierEnd(stretch);
    if (to == null && stretch.from().qualifier().isEmpty()) {
      return true;
    }
    Bytes qualifier = Buffers.bytes(qualifier(row));
    return qualifier.compareTo(stretch.from().qualifier()) >= 0
        && (to == null || qualifier.compareTo(to) < 0);
  }

  /** A partition is one row. */
  @Override
  public ByteBuffer key(Row row) {
    return NOTHING;
  }

  @Override
  public ByteBuffer qualifier(Row row) {
    if (!tuples) {
      return Buffers.present(row.getBytesUnsafe(0));
    }
    List<ByteBuffer> values = new ArrayList<>(clustering.size());
    for (int i = 0; i < clustering.size(); i++) {
      values.add(Buffers.present(row.getBytesUnsafe(i)));
    }
    return Buffers.of(ColumnTuple.join(clustering, values));
  }

  /**
   * Returns the write time; 0 if there is no value column, since Cassandra then returns no write
   * time.
   */
  @Override
  public long time(Row row) {
    ByteBuffer time = value == null ? null : row.getBytesUnsafe(clustering.size() + 1);
    return time == null ? 0 : time.getLong(time.position());
  }

  @Override
  public @Nullable ByteBuffer value(Row row) {
    return value == null ? NOTHING : row.getBytesUnsafe(clustering.size());
  }
}
