package dev.varve.layout;

import dev.varve.model.Bytes;
import dev.varve.store.TableSpec;

/**
 * A table in which the original keeps texts of its clients beside the samples, such as KairosDB's
 * {@code service_index}. A text has a name of three parts: service, service key and key. A row
 * holds the texts of a service key, and a cell one text in UTF-8.
 */
public interface TextTable {
  /** Returns the table, whose only family holds the texts. */
  TableSpec spec();

  /** Returns the row of a service key. */
  Bytes row(String service, String serviceKey);

  /** Returns the qualifier of a key. */
  Bytes qualifier(String key);

  /**
   * Returns the key of a qualifier.
   *
   * @throws DamagedCellException if the bytes are not a qualifier of the table
   */
  String key(Bytes qualifier);
}
