package dev.varve.layout.kairosdb;

import dev.varve.layout.TextTable;
import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.store.FamilySpec;
import dev.varve.store.Partitioning;
import dev.varve.store.TableForm;
import dev.varve.store.TableSpec;
import dev.varve.store.TypedColumn;
import java.util.List;
import java.util.Map;

/**
 * The table {@code service_index} of the metadata service: {@code ((service, service_key), key)}
 * and the text. KairosDB takes the write time of a text, in milliseconds, for the time of its last
 * change.
 */
final class ServiceIndex implements TextTable {
  private static final List<TypedColumn> ROW =
      List.of(
          new TypedColumn("service", TypedColumn.Type.TEXT),
          new TypedColumn("service_key", TypedColumn.Type.TEXT));

  private static final List<TypedColumn> QUALIFIER =
      List.of(new TypedColumn("key", TypedColumn.Type.TEXT));

  private static final TableSpec SPEC =
      new TableSpec(
              "service_index",
              List.of(FamilySpec.latest("v")),
              Resolution.MILLISECONDS,
              Partitioning.ROW)
          .with(
              new TableForm.Columns(
                  ROW,
                  QUALIFIER,
                  new TypedColumn("value", TypedColumn.Type.TEXT),
                  Map.of("mtime", "now()")));

  @Override
  public TableSpec spec() {
    return SPEC;
  }

  @Override
  public Bytes row(String service, String serviceKey) {
    return Tuple.texts(service, serviceKey);
  }

  @Override
  public Bytes qualifier(String key) {
    return Tuple.texts(key);
  }

  @Override
  public String key(Bytes qualifier) {
    return String.valueOf(Tuple.read("qualifier", qualifier, QUALIFIER).getFirst().value());
  }
}
