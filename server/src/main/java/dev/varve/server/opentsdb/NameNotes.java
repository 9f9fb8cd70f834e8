package dev.varve.server.opentsdb;

import dev.varve.engine.Dataset;
import dev.varve.engine.NameTable;
import dev.varve.engine.ServiceTexts;
import dev.varve.model.Bytes;
import dev.varve.server.opentsdb.query.Tsuid;
import dev.varve.server.opentsdb.query.UidNames;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Notes about names, in OpenTSDB's JSON. If OpenTSDB's own tables are attached, they are kept in
 * its table of UIDs; otherwise in the home of the dataset under the name, the same in every layout.
 */
final class NameNotes {
  private static final String SERVICE = "_UidMeta";

  /** The attached table; null if notes are in the home. */
  private final @Nullable NameTable table;

  private final ServiceTexts home;

  NameNotes(Dataset dataset) {
    this.table = dataset.config().attached() == null ? null : dataset.originals().names();
    this.home = dataset.services();
  }

  /**
   * A name that has a UID.
   *
   * @param uid as hexadecimal digits
   */
  record Named(Tsuid.Kind kind, String uid, String name) {
    private NameTable.Part part() {
      return UidNames.part(kind);
    }

    private Bytes number() {
      return Bytes.of(HexFormat.of().parseHex(uid));
    }
  }

  /** Returns a note; null if there is none. */
  @Nullable String get(Named of) {
    if (table != null) {
      return table.note(of.part(), of.number());
    }
    ServiceTexts.Text text = home.get(SERVICE, of.kind().word(), of.name());
    return text == null ? null : text.text();
  }

  /**
   * Stores a note if the stored one is as expected.
   *
   * @param expected null if there must be none
   * @return whether it was stored
   * @throws IllegalArgumentException if the note is too long
   * @throws dev.varve.engine.error.QueryRefusedException if the tables are attached read-only
   */
  boolean putIf(Named of, @Nullable String expected, String note) {
    if (table != null) {
      return table.putNote(of.part(), of.number(), expected, note);
    }
    return home.putIf(SERVICE, of.kind().word(), of.name(), expected, note);
  }

  /** Deletes a note. Does nothing if there is none. */
  void delete(Named of) {
    if (table != null) {
      table.removeNote(of.part(), of.number());
    } else {
      home.delete(SERVICE, of.kind().word(), of.name());
    }
  }

  /** Moves what the home has about a name to its new name. */
  void renamed(Tsuid.Kind kind, String old, String name) {
    ServiceTexts.Text note = table == null ? home.get(SERVICE, kind.word(), old) : null;
    if (note != null) {
      home.put(SERVICE, kind.word(), name, note.text());
      home.delete(SERVICE, kind.word(), old);
    }
  }
}
