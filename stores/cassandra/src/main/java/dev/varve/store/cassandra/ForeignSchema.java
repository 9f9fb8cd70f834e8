package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.varve.store.FamilySpec;
import dev.varve.store.TableForm;
import dev.varve.store.TableSpec;
import dev.varve.store.TimeUse;
import dev.varve.store.TypedColumn;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Compares the columns of a foreign table with the declared ones. */
final class ForeignSchema {
  private final Requests requests;

  ForeignSchema(Requests requests) {
    this.requests = requests;
  }

  /** A column as Cassandra lists it. */
  private record Listed(String kind, int position, String type, String order) {}

  private enum Kind {
    PARTITION_KEY,
    CLUSTERING,
    REGULAR,
    STATIC
  }

  boolean isThere(String table) {
    return !columns(table).isEmpty();
  }

  /**
   * Returns an id that distinguishes a table from any other and any later one; empty if there is
   * none.
   */
  String id(String table) {
    Row row =
        requests
            .execute(
                SimpleStatement.newInstance(
                    "SELECT id FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?",
                    requests.options().keyspace(),
                    table))
            .one();
    return row == null ? "" : String.valueOf(row.getUuid("id"));
  }

  /** Describes the differences; empty if there are none, or the keyspace has no such table. */
  List<String> differences(TableSpec spec) {
    Map<String, Listed> columns = columns(spec.name());
    List<String> reasons = new ArrayList<>();
    if (columns.isEmpty()) {
      return missingKeyspace();
    }
    FamilySpec family = spec.families().getFirst();
    if (spec.families().size() > 1 || family.time() != TimeUse.CLOCK || family.maxVersions() > 1) {
      reasons.add(
          "table '%s' of keyspace %s holds one family of one version, but the layout has %s"
              .formatted(spec.name(), requests.options().keyspace(), spec.families()));
    }
    switch (spec.form()) {
      case TableForm.KeyColumnValue form ->
          compare(
              spec, columns, List.of(form.key()), List.of(form.column()), form.value(), reasons);
      case TableForm.Columns form ->
          compare(spec, columns, form.partition(), form.clustering(), form.value(), reasons);
      case TableForm.Cells cells ->
          reasons.add(
              "the layout must declare the columns of table '%s' of keyspace %s"
                  .formatted(spec.name(), requests.options().keyspace()));
    }
    return reasons;
  }

  private List<String> missingKeyspace() {
    String keyspace = requests.options().keyspace();
    Set<String> others = new TreeSet<>();
    for (Row row :
        requests
            .execute(
                SimpleStatement.newInstance("SELECT keyspace_name FROM system_schema.keyspaces"))
            .currentPage()) {
      String name = String.valueOf(row.getString("keyspace_name"));
      if (name.equals(keyspace)) {
        return List.of();
      }
      if (!name.equals("system") && !name.startsWith("system_")) {
        others.add(name);
      }
    }
    return List.of(
        "cluster '%s' has no keyspace '%s' (option keyspace); it has %s"
            .formatted(
                requests.clusterName(),
                keyspace,
                others.isEmpty() ? "none but its own" : String.join(", ", others)));
  }

  private void compare(
      TableSpec spec,
      Map<String, Listed> columns,
      List<TypedColumn> partition,
      List<TypedColumn> clustering,
      @Nullable TypedColumn value,
      List<String> reasons) {
    key(spec, columns, partition, Kind.PARTITION_KEY, reasons);
    key(spec, columns, clustering, Kind.CLUSTERING, reasons);
    if (value != null) {
      one(spec, columns, value, Kind.REGULAR, -1, reasons);
    }
    if (spec.form() instanceof TableForm.Columns form) {
      for (String extra : form.extras().keySet()) {
        if (!columns.containsKey(extra)) {
          reasons.add(differs(spec, extra, "is missing"));
        }
      }
    }
  }

  private void key(
      TableSpec spec,
      Map<String, Listed> columns,
      List<TypedColumn> declared,
      Kind kind,
      List<String> reasons) {
    for (int i = 0; i < declared.size(); i++) {
      one(spec, columns, declared.get(i), kind, i, reasons);
    }
    columns.forEach((name, listed) -> {
      if (listed.kind.equals(word(kind))
          && declared.stream().noneMatch(column -> column.name().equals(name))) {
        reasons.add(differs(spec, name, "is part of the key, but not declared"));
      }
    });
  }

  private void one(
      TableSpec spec,
      Map<String, Listed> columns,
      TypedColumn declared,
      Kind kind,
      int position,
      List<String> reasons) {
    Listed listed = columns.get(declared.name());
    if (listed == null) {
      reasons.add(differs(spec, declared.name(), "is missing"));
      return;
    }
    if (!listed.kind.equals(word(kind)) || (position >= 0 && listed.position != position)) {
      reasons.add(
          differs(
              spec,
              declared.name(),
              "is %s %d instead of %s %d"
                  .formatted(listed.kind, listed.position, word(kind), Math.max(0, position))));
    }
    if (!listed.type.equals(cqlType(declared.type()))) {
      reasons.add(
          differs(
              spec,
              declared.name(),
              "has type %s instead of %s".formatted(listed.type, cqlType(declared.type()))));
    }
    if (kind == Kind.CLUSTERING && !listed.order.equals("asc")) {
      reasons.add(differs(spec, declared.name(), "is ordered " + listed.order + " instead of asc"));
    }
  }

  private String differs(TableSpec spec, String column, String how) {
    return "table '%s' of keyspace %s: column %s %s"
        .formatted(spec.name(), requests.options().keyspace(), column, how);
  }

  private static String word(Kind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  private static String cqlType(TypedColumn.Type type) {
    return switch (type) {
      case BLOB -> "blob";
      case TEXT -> "text";
      case INT -> "int";
      case TIMESTAMP -> "timestamp";
      case MAP -> "frozen<map<text, text>>";
    };
  }

  private Map<String, Listed> columns(String table) {
    Map<String, Listed> columns = new TreeMap<>();
    for (Row row :
        requests
            .execute(
                SimpleStatement.newInstance(
                    "SELECT column_name, kind, position, type, clustering_order FROM system_schema.columns WHERE keyspace_name = ? AND table_name = ?",
                    requests.options().keyspace(),
                    table))
            .currentPage()) {
      columns.put(
          String.valueOf(row.getString("column_name")),
          new Listed(
              String.valueOf(row.getString("kind")),
              row.getInt("position"),
              String.valueOf(row.getString("type")),
              String.valueOf(row.getString("clustering_order"))));
    }
    return columns;
  }
}
