package dev.varve.layout.opentsdb;

import dev.varve.layout.CellDescription;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.NameNumbers.Renaming;
import dev.varve.layout.RefusedException;
import dev.varve.layout.Step;
import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.Partitioning;
import dev.varve.store.QualifierRange;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.TableSpec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The table {@code tsdb-uid}, which maps names to UIDs and back. The three kinds of names share its
 * rows; each has a qualifier of its own.
 *
 * <pre>
 *  row          family   qualifier            value
 *  00           id       metrics|tagk|tagv    number of UIDs assigned, 8 bytes
 *  name         id       metrics|tagk|tagv    UID
 *  UID          name     metrics|tagk|tagv    name
 *  UID          name     metric_meta|...      JSON: what people noted about the name
 * </pre>
 *
 * <p>To assign a UID, a writer increments the counter, claims the row of the UID, then claims the
 * row of the name. A failure between these steps therefore leaks a number and nothing else.
 */
final class UidTable {
  static final String NAME = "tsdb-uid";

  static final TableSpec SPEC =
      new TableSpec(
          NAME,
          List.of(FamilySpec.latest("id"), FamilySpec.latest("name")),
          Resolution.MILLISECONDS,
          Partitioning.ROW);

  private static final int ID = 0;
  private static final int NAMES = 1;
  private static final Bytes COUNTERS = Bytes.of((byte) 0);
  private static final int COUNTER_LENGTH = 8;
  private static final int ATTEMPTS = 3;

  /** The part of a series that a name denotes. Each kind has UIDs of its own. */
  enum Kind {
    METRIC("metrics", "metric_meta", "metricWidth"),
    TAGK("tagk", "tagk_meta", "tagkWidth"),
    TAGV("tagv", "tagv_meta", "tagvWidth");

    private final String label;
    private final String meta;
    private final String parameter;

    Kind(String label, String meta, String parameter) {
      this.label = label;
      this.meta = meta;
      this.parameter = parameter;
    }

    Bytes qualifier() {
      return Bytes.utf8(label);
    }

    private Bytes metaQualifier() {
      return Bytes.utf8(meta);
    }
  }

  /** A name in Latin-1. */
  record Name(Kind kind, String text) {
    private Bytes row() {
      return Bytes.of(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    @Override
    public String toString() {
      return kind.label + " '" + text + "'";
    }
  }

  private final OpenTsdbParameters parameters;

  UidTable(OpenTsdbParameters parameters) {
    this.parameters = parameters;
  }

  int width(Kind kind) {
    return switch (kind) {
      case METRIC -> parameters.metricWidth();
      case TAGK -> parameters.tagkWidth();
      case TAGV -> parameters.tagvWidth();
    };
  }

  /**
   * Looks up the UIDs of names.
   *
   * @param create whether to assign UIDs to new names, in the given order; otherwise the result is
   *     empty if any name has no UID
   */
  Step<Optional<List<Bytes>>> uids(List<Name> names, boolean create) {
    return lookUp(names, true)
        .then(found -> {
          if (found.stream().allMatch(Optional::isPresent)) {
            return Step.done(Optional.of(found.stream().map(Optional::orElseThrow).toList()));
          }
          return create
              ? assign(names, found, Map.of(), List.of()).map(Optional::of)
              : Step.done(Optional.empty());
        });
  }

  private Step<List<Optional<Bytes>>> lookUp(List<Name> names, boolean settled) {
    List<Step.TableRead> reads =
        names.stream().map(name -> read(name.row(), ID, name.kind.qualifier())).toList();
    return new Step.Look<>(
        reads,
        settled,
        answers -> {
          List<Optional<Bytes>> uids = new ArrayList<>(names.size());
          for (int i = 0; i < names.size(); i++) {
            uids.add(uid(names.get(i), answers.get(i)));
          }
          return Step.done(List.copyOf(uids));
        });
  }

  private Optional<Bytes> uid(Name name, CellBatch answer) {
    if (answer.isEmpty()) {
      return Optional.empty();
    }
    Bytes uid = answer.value(0);
    if (uid.length() != width(name.kind)) {
      throw new DamagedCellException(
          "%s: the UID of %s is %s, on %d bytes, and %s is %d"
              .formatted(
                  NAME, name, hex(uid), uid.length(), name.kind.parameter, width(name.kind)));
    }
    return Optional.of(uid);
  }

  /** Assigns UIDs to the names after those in {@code done}, one by one. */
  private Step<List<Bytes>> assign(
      List<Name> names, List<Optional<Bytes>> found, Map<Name, Bytes> fresh, List<Bytes> done) {
    if (done.size() == names.size()) {
      return Step.done(done);
    }
    Name name = names.get(done.size());
    Bytes known = found.get(done.size()).orElse(fresh.get(name));
    if (known != null) {
      return assign(names, found, fresh, with(done, known));
    }
    return claim(name, 1)
        .then(uid -> {
          Map<Name, Bytes> more = new HashMap<>(fresh);
          more.put(name, uid);
          return assign(names, found, more, with(done, uid));
        });
  }

  private static List<Bytes> with(List<Bytes> done, Bytes uid) {
    List<Bytes> more = new ArrayList<>(done);
    more.add(uid);
    return List.copyOf(more);
  }

  private Step<Bytes> claim(Name name, int attempt) {
    Bytes qualifier = name.kind.qualifier();
    return new Step.Count<>(
        OpenTsdbLayout.UIDS,
        COUNTERS,
        ID,
        qualifier,
        1,
        number -> {
          Bytes uid = uid(name, number);
          return put(
              new Cell(uid, NAMES, qualifier, 0, name.row()),
              reverse ->
                  reverse
                      ? put(
                          new Cell(name.row(), ID, qualifier, 0, uid),
                          forward -> forward ? Step.done(uid) : again(name, attempt))
                      : again(name, attempt));
        });
  }

  private static <T> Step<T> put(Cell cell, Function<Boolean, Step<T>> then) {
    return new Step.Claim<>(OpenTsdbLayout.UIDS, cell, null, then);
  }

  private Bytes uid(Name name, long number) {
    int width = width(name.kind);
    if (number < 1 || (width < 8 && number >>> (8 * width) != 0)) {
      throw new RefusedException(
          "opentsdb.uid",
          "%s: all UIDs of %d bytes are assigned (%s=%d), the counter stands at %d"
              .formatted(name, width, name.kind.parameter, width, number));
    }
    byte[] bytes = new byte[width];
    for (int i = 0; i < width; i++) {
      bytes[i] = (byte) (number >>> (8 * (width - 1 - i)));
    }
    return Bytes.of(bytes);
  }

  /** Retries after another writer claimed the name or the UID. The number is lost. */
  private Step<Bytes> again(Name name, int attempt) {
    return lookUp(List.of(name), true)
        .then(found -> {
          if (found.getFirst().isPresent()) {
            return Step.done(found.getFirst().orElseThrow());
          }
          if (attempt == ATTEMPTS) {
            throw new RefusedException(
                "opentsdb.uid",
                "%s: got no UID in %d attempts, each number was taken already; is the counter"
                        .formatted(name, ATTEMPTS)
                    + " in row 00 of tsdb-uid behind the UIDs?");
          }
          return claim(name, attempt + 1);
        });
  }

  /**
   * Gives the UID of a name another name: first the row of the UID, then the row of the new name,
   * and last it deletes the row of the old one. This is the original's order, but no other writer's
   * change is overwritten. A request that ends between these steps can be repeated.
   */
  Step<Renaming> rename(Name old, Name fresh) {
    return lookUp(List.of(old, fresh), false)
        .then(found -> {
          Optional<Bytes> uid = found.getFirst();
          Optional<Bytes> taken = found.get(1);
          if (uid.isEmpty()) {
            return Step.done(new Renaming.Unknown());
          }
          if (taken.isPresent()) {
            // An interrupted request may have put the UID. The same name must keep it.
            return taken.equals(uid) && !old.equals(fresh)
                ? forget(old, taken.orElseThrow())
                : Step.done(new Renaming.Taken(taken.orElseThrow()));
          }
          return rename(old, fresh, uid.orElseThrow());
        });
  }

  private static Step<Renaming> rename(Name old, Name fresh, Bytes uid) {
    return putName(
        uid,
        old,
        fresh,
        put ->
            put
                ? putUid(uid, old, fresh)
                // An interrupted request may have put the name before.
                : putName(
                    uid,
                    fresh,
                    fresh,
                    again -> again ? putUid(uid, old, fresh) : Step.done(new Renaming.Raced())));
  }

  private static Step<Renaming> putName(
      Bytes uid, Name expected, Name name, Function<Boolean, Step<Renaming>> then) {
    Cell cell = new Cell(uid, NAMES, name.kind.qualifier(), 0, name.row());
    return new Step.Claim<>(OpenTsdbLayout.UIDS, cell, expected.row(), then);
  }

  private static Step<Renaming> putUid(Bytes uid, Name old, Name fresh) {
    return put(
        new Cell(fresh.row(), ID, fresh.kind.qualifier(), 0, uid),
        put ->
            put
                ? forget(old, uid)
                : putName(uid, fresh, old, undone -> Step.done(new Renaming.Raced())));
  }

  private static Step<Renaming> forget(Name old, Bytes uid) {
    return new Step.Remove<>(
        OpenTsdbLayout.UIDS,
        old.row(),
        ID,
        old.kind.qualifier(),
        () -> Step.done(new Renaming.Done(uid)));
  }

  /**
   * Looks up the names of UIDs. The step throws {@link DamagedCellException} if a UID has no name.
   *
   * @param kinds the kind of each UID
   */
  Step<List<String>> names(List<Kind> kinds, List<Bytes> uids) {
    List<Step.TableRead> reads = new ArrayList<>(uids.size());
    for (int i = 0; i < uids.size(); i++) {
      reads.add(read(uids.get(i), NAMES, kinds.get(i).qualifier()));
    }
    return new Step.Look<>(
        reads,
        true,
        answers -> {
          List<String> names = new ArrayList<>(uids.size());
          for (int i = 0; i < uids.size(); i++) {
            if (answers.get(i).isEmpty()) {
              throw new DamagedCellException(
                  "row key: %s UID %s has no name in %s"
                      .formatted(kinds.get(i).label, hex(uids.get(i)), NAME));
            }
            names.add(checkedName(answers.get(i).value(0), "value of UID " + hex(uids.get(i))));
          }
          return Step.done(List.copyOf(names));
        });
  }

  /** Looks up the note about a UID; empty if there is none. */
  Step<Optional<String>> note(Kind kind, Bytes uid) {
    return new Step.Look<>(
        List.of(read(uid, NAMES, kind.metaQualifier())),
        false,
        answers ->
            Step.done(
                answers.getFirst().isEmpty()
                    ? Optional.empty()
                    : Optional.of(answers.getFirst().value(0).toUtf8())));
  }

  /** Stores a note about a UID if the stored one is as expected. */
  static Step<Boolean> putNote(Kind kind, Bytes uid, @Nullable String expected, String note) {
    Cell cell = new Cell(uid, NAMES, kind.metaQualifier(), 0, Bytes.utf8(note));
    return new Step.Claim<>(
        OpenTsdbLayout.UIDS, cell, expected == null ? null : Bytes.utf8(expected), Step::done);
  }

  /** Deletes the note about a UID. */
  static Step<Boolean> removeNote(Kind kind, Bytes uid) {
    return new Step.Remove<>(
        OpenTsdbLayout.UIDS, uid, NAMES, kind.metaQualifier(), () -> Step.done(true));
  }

  /** Looks up the name of a UID; empty if it has none. */
  Step<Optional<String>> name(Kind kind, Bytes uid) {
    return new Step.Look<>(
        List.of(read(uid, NAMES, kind.qualifier())),
        true,
        answers ->
            Step.done(
                answers.getFirst().isEmpty()
                    ? Optional.empty()
                    : Optional.of(
                        checkedName(answers.getFirst().value(0), "value of UID " + hex(uid)))));
  }

  private static Step.TableRead read(Bytes row, int family, Bytes qualifier) {
    return new Step.TableRead(
        OpenTsdbLayout.UIDS,
        ReadPlan.of(
            List.of(Slice.row(row, row)),
            List.of(
                new FamilySelect(
                    family, List.of(QualifierRange.exactly(qualifier)), TimeRange.ALL, 1))));
  }

  /**
   * Describes a cell of the table.
   *
   * @throws DamagedCellException if the table has no such cell
   */
  CellDescription describe(Cell cell) {
    for (Kind kind : Kind.values()) {
      if (cell.qualifier().equals(kind.qualifier())) {
        return cell.family() == ID ? describeId(cell, kind) : describeName(cell, kind);
      }
      if (cell.qualifier().equals(Bytes.utf8(kind.meta)) && cell.family() == NAMES) {
        return description(
            cell,
            kind,
            "meta data of UID " + checkedUid(kind, cell.row(), "row key"),
            "JSON",
            cell.value().toUtf8());
      }
    }
    throw new DamagedCellException(
        "%s: qualifier '%s' is none of metrics, tagk, tagv or their meta data"
            .formatted(NAME, latin1(cell.qualifier())));
  }

  private CellDescription describeId(Cell cell, Kind kind) {
    if (!cell.row().equals(COUNTERS)) {
      return description(
          cell,
          kind,
          "name '" + checkedName(cell.row(), "row key") + "'",
          "UID",
          checkedUid(kind, cell.value(), "value"));
    }
    if (cell.value().length() != COUNTER_LENGTH) {
      throw new DamagedCellException(
          "%s: value of the counter has %d bytes, it takes %d"
              .formatted(NAME, cell.value().length(), COUNTER_LENGTH));
    }
    long count = PointCodec.integer(cell.value().toArray(), 0, COUNTER_LENGTH);
    return description(cell, kind, "counter", "assigned", Long.toString(count));
  }

  private CellDescription describeName(Cell cell, Kind kind) {
    return description(
        cell,
        kind,
        "UID " + checkedUid(kind, cell.row(), "row key"),
        "name",
        checkedName(cell.value(), "value"));
  }

  private static CellDescription description(
      Cell cell, Kind kind, String row, String label, String value) {
    return new CellDescription(
        "%s %s: %s %s".formatted(kind.label, row, label, value),
        List.of(
            new CellDescription.Part("row", "key", row, 0, cell.row().length()),
            new CellDescription.Part(
                "qualifier", "kind", cell.qualifier().toUtf8(), 0, cell.qualifier().length()),
            new CellDescription.Part("value", label, value, 0, cell.value().length())));
  }

  private String checkedUid(Kind kind, Bytes uid, String where) {
    if (uid.length() != width(kind)) {
      throw new DamagedCellException(
          "%s: %s %s is not a %s UID of %d bytes"
              .formatted(NAME, where, hex(uid), kind.label, width(kind)));
    }
    return hex(uid);
  }

  private static String checkedName(Bytes name, String where) {
    if (name.isEmpty()) {
      throw new DamagedCellException(NAME + ": " + where + " is an empty name");
    }
    return latin1(name);
  }

  private static String latin1(Bytes bytes) {
    return new String(bytes.toArray(), StandardCharsets.ISO_8859_1);
  }

  private static String hex(Bytes bytes) {
    return RowKeys.HEX.formatHex(bytes.toArray());
  }

  /**
   * Returns why a name cannot be stored; null if it can.
   *
   * @param what what the name denotes, for the message
   * @param foreign whether to allow all of Latin-1, since names created by other servers may have
   *     characters that Varve does not accept in new names
   */
  static @Nullable String flaw(String what, String name, boolean foreign) {
    if (name.isEmpty()) {
      return what + " is empty";
    }
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c > 0xff || !(foreign || isWord(c) || "-_./".indexOf(c) >= 0)) {
        return "%s '%s': character %d is U+%04X; OpenTSDB takes the letters of Latin-1, digits and -_./"
            .formatted(what, name, i, name.codePointAt(i));
      }
    }
    return null;
  }

  private static boolean isWord(char c) {
    return Character.isLetter(c) || (c >= '0' && c <= '9');
  }
}
