package dev.varve.layout.opentsdb;

import dev.varve.layout.TextTable;
import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.store.FamilySpec;
import dev.varve.store.Partitioning;
import dev.varve.store.TableSpec;
import java.util.List;

/**
 * The table {@code tsdb-meta}: a row for each TSUID. Varve reads and writes the JSON in qualifier
 * {@code ts_meta} and leaves the counter in {@code ts_ctr} alone.
 */
final class MetaTable implements TextTable {
  private static final TableSpec SPEC =
      new TableSpec(
          "tsdb-meta",
          List.of(FamilySpec.latest("name")),
          Resolution.MILLISECONDS,
          Partitioning.ROW);

  @Override
  public TableSpec spec() {
    return SPEC;
  }

  /**
   * {@inheritDoc}
   *
   * @param service not part of the row
   * @param serviceKey a TSUID in hexadecimal digits
   */
  @Override
  public Bytes row(String service, String serviceKey) {
    return Bytes.of(RowKeys.HEX.parseHex(serviceKey));
  }

  @Override
  public Bytes qualifier(String key) {
    return Bytes.utf8(key);
  }

  @Override
  public String key(Bytes qualifier) {
    return qualifier.toUtf8();
  }
}
