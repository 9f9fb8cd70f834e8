package dev.varve.engine.home;

import dev.varve.engine.catalog.SeriesIdentity;
import dev.varve.layout.LayoutIdentity;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.LaterFormatException;
import dev.varve.store.MutationBatch;
import dev.varve.store.Partitioning;
import dev.varve.store.Power;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The declaration with which a dataset was created, and the state of its catalog.
 *
 * <pre>
 * family  d
 * row               qualifier     value
 * catalog           state         complete, or rebuilding
 *                   token         where a rebuild resumes (below); missing before its first page
 * dataset           format        01
 *                   resolution    s, ms, us or ns
 *                   store         the kind of store
 *                   maker         the server that creates it, i64; missing in an embedded store
 *                   attached      names of foreign tables, separated by spaces; else missing
 *                   place         their location as the store describes it; missing if it has
 *                                 none, if the home is in the same place, or if not yet known
 *                   conversion    how far cells are converted into blocks (below); missing if
 *                                 nobody has begun to
 *                   numbers       the numbers that removed series had in blocks lie below (below);
 *                                 missing if none was removed
 *                   deleted       when the last delete ended, microseconds since 1970, i64; missing
 *                                 if none has
 * period from i64   layout u8     a layout's identity, the primary being 0
 *
 * from     the first instant, big-endian with the sign bit flipped so that rows sort by time
 * conversion
 *          period u32, blocksFrom i64, copiedFrom i64, emptied u8 (0 or 1)
 * numbers  a number of a series u32, a number of a metric u32; lower ones are not assigned
 * identity the form of a series key (SeriesIdentity): the layout's name as metric, its parameters
 *          as tags
 * token    slice i32, family i32, time i64, rowsSeen i64, cellsSeen i64, cellsInRow i32,
 *          versionsSeen i32, then row and qualifier, each preceded by its length i32
 * </pre>
 */
public final class IdentityTable implements AutoCloseable {
  private static final int FORMAT = 1;

  /** Names of entries of a dataset, of this version and of later ones. */
  private static final Pattern NAMED = Pattern.compile("[a-z][a-z-]{0,39}");

  static final Bytes CATALOG = Bytes.utf8("catalog");
  private static final Bytes DATASET = Bytes.utf8("dataset");
  private static final Bytes PERIOD = Bytes.utf8("period ");
  private static final Bytes RESOLUTION = Bytes.utf8("resolution");
  private static final Bytes STATE = Bytes.utf8("state");
  private static final Bytes PLACE = Bytes.utf8("place");
  private static final Bytes MAKER = Bytes.utf8("maker");
  private static final Bytes TOKEN = Bytes.utf8("token");

  private static final Bytes CONVERSION = Bytes.utf8("conversion");
  private static final int CONVERSION_BYTES = 21;
  private static final Bytes NUMBERS = Bytes.utf8("numbers");
  private static final Bytes DELETED = Bytes.utf8("deleted");

  /** Absent for the first period. */
  private static final Bytes CATALOG_PERIOD = Bytes.utf8("period");

  private static final int TOKEN_MAX = 1 << 16;

  /**
   * A dataset as it was created.
   *
   * @param attached the foreign tables to which it is attached; empty if there are none
   * @param place the location of the foreign tables in their store; empty if not recorded
   */
  public record Made(
      Resolution resolution,
      String store,
      List<MadePeriod> periods,
      List<String> attached,
      String place) {
    public Made {
      periods = List.copyOf(periods);
      attached = List.copyOf(attached);
    }
  }

  /**
   * A period as it was created.
   *
   * @param from in the resolution of the dataset
   * @param layouts the primary and its companions
   */
  public record MadePeriod(long from, List<LayoutIdentity> layouts) {}

  /**
   * The progress of a conversion of the cells of earlier periods into blocks of a later one.
   *
   * @param period index of the period in blocks
   * @param blocksFrom the first instant for which blocks answer; {@link Long#MIN_VALUE} if they
   *     answer for all
   * @param copiedFrom the first instant of which blocks may have copies that nobody reads; equal to
   *     {@code blocksFrom} if they have none
   * @param emptied whether the tables of cells are empty
   */
  public record Conversion(int period, long blocksFrom, long copiedFrom, boolean emptied) {}

  /**
   * The state of the catalog.
   *
   * @param complete whether it holds every series of the data. A rebuild of a complete catalog
   *     searches for series that other servers have added.
   * @param period index of the period whose table the rebuild reads next
   * @param token where in that table the rebuild continues; null at its start
   */
  public record CatalogState(boolean complete, int period, @Nullable ResumeToken token) {
    /** A complete catalog without a search in progress. */
    public static final CatalogState COMPLETE = new CatalogState(true, 0, null);

    /** A catalog whose rebuild has not begun. */
    public static final CatalogState LOST = new CatalogState(false, 0, null);
  }

  private final Table table;
  private final @Nullable ServerId server;

  IdentityTable(Store store, String name, @Nullable ServerId server) {
    this.server = server;
    TableSpec spec =
        new TableSpec(
            name, List.of(FamilySpec.latest("d")), Resolution.MICROSECONDS, Partitioning.NONE);
    this.table = store.open(spec, Store.OpenMode.CREATE_IF_ABSENT);
  }

  Table table() {
    return table;
  }

  /** Returns the dataset as it was created, or null if it is new. */
  public @Nullable Made made() {
    @Nullable Resolution resolution = null;
    String store = "";
    List<String> attached = List.of();
    String place = "";
    TreeMap<Long, List<LayoutIdentity>> periods = new TreeMap<>();
    CellBatch cells = readAll();
    for (int cell = 0; cell < cells.size(); cell++) {
      Bytes row = cells.row(cell);
      Bytes value = cells.value(cell);
      String qualifier = cells.qualifier(cell).toUtf8();
      if (row.equals(DATASET)) {
        switch (qualifier) {
          case "format" -> checkFormat(value);
          case "resolution" -> resolution = Resolution.ofSymbol(value.toUtf8());
          case "store" -> store = value.toUtf8();
          case "maker", "conversion", "numbers", "deleted" -> {}
          case "attached" -> attached = List.of(value.toUtf8().split(" ", -1));
          case "place" -> place = value.toUtf8();
          default -> throw unknown(row, qualifier);
        }
      } else if (row.startsWith(PERIOD) && row.length() == PERIOD.length() + 8) {
        periods.computeIfAbsent(from(row), from -> new ArrayList<>()).add(identity(row, value));
      } else if (!row.equals(CATALOG)) {
        throw damaged(row, "unknown row");
      }
    }
    if (resolution == null) {
      return null;
    }
    List<MadePeriod> made = new ArrayList<>();
    periods.forEach((from, layouts) -> made.add(new MadePeriod(from, layouts)));
    return new Made(resolution, store, made, attached, place);
  }

  private void checkFormat(Bytes value) {
    if (!value.equals(Bytes.of((byte) FORMAT))) {
      throw new LaterFormatException(
          "table '%s'".formatted(table.spec().name()), value, "%02x".formatted(FORMAT));
    }
  }

  /** Returns the exception for a cell that this version does not write. */
  private StoreException unknown(Bytes row, String qualifier) {
    return NAMED.matcher(qualifier).matches()
        ? LaterFormatException.unknown(
            "the entry '%s' of table '%s'".formatted(qualifier, table.spec().name()))
        : damaged(row, "qualifier '" + qualifier + "'");
  }

  private static long from(Bytes row) {
    byte[] bytes = row.toArray();
    return ByteBuffer.wrap(bytes).getLong(bytes.length - 8) ^ Long.MIN_VALUE;
  }

  private LayoutIdentity identity(Bytes row, Bytes value) {
    byte[] bytes = value.toArray();
    try {
      GroupKey form = SeriesIdentity.decode(bytes, 0, bytes.length);
      return new LayoutIdentity(form.metric(), form.tags().toMap());
    } catch (IllegalArgumentException e) {
      throw damaged(row, String.valueOf(e.getMessage()));
    }
  }

  /**
   * Claims the right to create the dataset, which several servers may attempt at once.
   *
   * @param takeOver whether to replace the claim of another server
   * @return whether this server holds the claim
   */
  public boolean claim(boolean takeOver, long stamp) {
    Power.ConditionalPut power = table.power(Power.ConditionalPut.class).orElse(null);
    if (server == null || power == null) {
      return true;
    }
    Bytes own = Bytes.of(ByteBuffer.allocate(8).putLong(server.id()).array());
    Bytes current = maker();
    if (current != null && (current.equals(own) || !takeOver)) {
      return current.equals(own);
    }
    return power.putIf(new Cell(DATASET, 0, MAKER, stamp, own), current);
  }

  private @Nullable Bytes maker() {
    CellBatch cells = readAll();
    for (int cell = 0; cell < cells.size(); cell++) {
      if (cells.row(cell).equals(DATASET) && cells.qualifier(cell).equals(MAKER)) {
        return cells.value(cell);
      }
    }
    return null;
  }

  /** Writes a new dataset, durably. */
  public void make(Made made, long stamp) {
    if (server != null) {
      // Others wait for the resolution to appear, so the periods must precede it.
      MutationBatch periods = new MutationBatch();
      made.periods().forEach(period -> addPeriod(periods, period, stamp));
      apply(periods);
    }
    MutationBatch edits = new MutationBatch();
    edits.put(DATASET, 0, Bytes.utf8("format"), stamp, Bytes.of((byte) FORMAT));
    edits.put(DATASET, 0, RESOLUTION, stamp, Bytes.utf8(made.resolution().symbol()));
    edits.put(DATASET, 0, Bytes.utf8("store"), stamp, Bytes.utf8(made.store()));
    if (!made.attached().isEmpty()) {
      Bytes names = Bytes.utf8(String.join(" ", made.attached()));
      edits.put(DATASET, 0, Bytes.utf8("attached"), stamp, names);
    }
    if (!made.place().isEmpty()) {
      edits.put(DATASET, 0, PLACE, stamp, Bytes.utf8(made.place()));
    }
    for (MadePeriod period : made.periods()) {
      addPeriod(edits, period, stamp);
    }
    apply(edits);
  }

  /** Writes the location of the attached tables, durably. Homes of earlier versions lack it. */
  public void place(String place, long stamp) {
    MutationBatch edits = new MutationBatch();
    edits.put(DATASET, 0, PLACE, stamp, Bytes.utf8(place));
    apply(edits);
  }

  /** Returns the progress of the conversion into blocks; null if none has begun. */
  public @Nullable Conversion conversion() {
    CellBatch cells = readAll();
    for (int cell = 0; cell < cells.size(); cell++) {
      if (cells.row(cell).equals(DATASET) && cells.qualifier(cell).equals(CONVERSION)) {
        Bytes value = cells.value(cell);
        if (value.length() != CONVERSION_BYTES) {
          throw damaged(DATASET, "a conversion of " + value.length() + " bytes");
        }
        ByteBuffer buffer = ByteBuffer.wrap(value.toArray());
        return new Conversion(
            buffer.getInt(), buffer.getLong(), buffer.getLong(), buffer.get() == 1);
      }
    }
    return null;
  }

  /**
   * Writes the progress of the conversion into blocks, durably.
   *
   * @throws StoreException if the write fails; if {@link StoreException#unknown()}, it may be
   *     applied nonetheless, also later
   */
  public void conversion(Conversion now, long stamp) {
    ByteBuffer value = ByteBuffer.allocate(CONVERSION_BYTES);
    value.putInt(now.period()).putLong(now.blocksFrom()).putLong(now.copiedFrom());
    value.put((byte) (now.emptied() ? 1 : 0));
    MutationBatch edits = new MutationBatch();
    edits.put(DATASET, 0, CONVERSION, stamp, Bytes.of(value.array()));
    apply(edits);
  }

  /**
   * Numbers of series and metrics below which none is assigned.
   *
   * @param series the lowest number that a series may get
   * @param metrics the lowest number that a metric may get
   */
  public record NumbersFrom(int series, int metrics) {}

  /** Returns the numbers below which none is assigned; null if no series was removed. */
  public @Nullable NumbersFrom numbersFrom() {
    CellBatch cells = readAll();
    for (int cell = 0; cell < cells.size(); cell++) {
      if (cells.row(cell).equals(DATASET) && cells.qualifier(cell).equals(NUMBERS)) {
        ByteBuffer value = ByteBuffer.wrap(cells.value(cell).toArray());
        NumbersFrom from =
            value.remaining() == 2 * Integer.BYTES
                ? new NumbersFrom(value.getInt(), value.getInt())
                : new NumbersFrom(-1, -1);
        if (from.series() < 0 || from.metrics() < 0) {
          throw damaged(DATASET, "invalid numbers of removed series");
        }
        return from;
      }
    }
    return null;
  }

  /**
   * Returns when the dataset was created, microseconds since 1970: the stamp of its resolution. A
   * backup keeps it, and a dataset that is created anew has another.
   *
   * @throws StoreException if the dataset is not created yet
   */
  public long created() {
    CellBatch cells = readAll();
    for (int cell = 0; cell < cells.size(); cell++) {
      if (cells.row(cell).equals(DATASET) && cells.qualifier(cell).equals(RESOLUTION)) {
        return cells.time(cell);
      }
    }
    throw damaged(DATASET, "no resolution");
  }

  /** Returns when the last delete ended, microseconds since 1970; null if none has. */
  public @Nullable Long deleted() {
    CellBatch cells = readAll();
    for (int cell = 0; cell < cells.size(); cell++) {
      if (cells.row(cell).equals(DATASET) && cells.qualifier(cell).equals(DELETED)) {
        Bytes value = cells.value(cell);
        if (value.length() != Long.BYTES) {
          throw damaged(DATASET, "a time of the last delete of " + value.length() + " bytes");
        }
        return ByteBuffer.wrap(value.toArray()).getLong();
      }
    }
    return null;
  }

  /**
   * Writes when the last delete ended, durably.
   *
   * @param micros since 1970
   */
  public void deleted(long micros, long stamp) {
    MutationBatch edits = new MutationBatch();
    Bytes value = Bytes.of(ByteBuffer.allocate(Long.BYTES).putLong(micros).array());
    edits.put(DATASET, 0, DELETED, stamp, value);
    apply(edits);
  }

  /** Writes the numbers below which none is assigned, durably. */
  public void numbersFrom(NumbersFrom from, long stamp) {
    ByteBuffer value = ByteBuffer.allocate(2 * Integer.BYTES);
    value.putInt(from.series()).putInt(from.metrics());
    MutationBatch edits = new MutationBatch();
    edits.put(DATASET, 0, NUMBERS, stamp, Bytes.of(value.array()));
    apply(edits);
  }

  /**
   * Appends a period, durably. Does not replace a period that another server has appended
   * meanwhile.
   */
  public void append(MadePeriod period, long stamp) {
    MutationBatch edits = new MutationBatch();
    addPeriod(edits, period, stamp);
    Power.ConditionalPut power = table.power(Power.ConditionalPut.class).orElse(null);
    if (server == null || power == null) {
      apply(edits);
      return;
    }
    for (int edit = 0; edit < edits.size(); edit++) {
      if (!power.putIf(edits.cells().cell(edit), null)) {
        return;
      }
    }
  }

  private static void addPeriod(MutationBatch edits, MadePeriod period, long stamp) {
    byte[] from = ByteBuffer.allocate(8).putLong(period.from() ^ Long.MIN_VALUE).array();
    Bytes row = PERIOD.concat(Bytes.of(from));
    for (int i = 0; i < period.layouts().size(); i++) {
      LayoutIdentity layout = period.layouts().get(i);
      GroupKey form = GroupKey.of(layout.name(), Tags.of(layout.parameters()));
      edits.put(row, 0, Bytes.of((byte) i), stamp, Bytes.of(SeriesIdentity.encode(form)));
    }
  }

  /** Returns the state of the catalog; complete if none is recorded. */
  public CatalogState catalogState() {
    boolean complete = true;
    int period = 0;
    @Nullable ResumeToken token = null;
    CellBatch cells = readAll();
    for (int cell = 0; cell < cells.size(); cell++) {
      if (cells.row(cell).equals(CATALOG)) {
        if (cells.qualifier(cell).equals(STATE)) {
          complete = cells.value(cell).toUtf8().equals("complete");
        } else if (cells.qualifier(cell).equals(CATALOG_PERIOD)) {
          period = period(cells.value(cell));
        } else {
          token = token(cells.value(cell));
        }
      }
    }
    return new CatalogState(complete, period, token);
  }

  /** Writes the state of the catalog, durably. */
  public void catalogState(CatalogState state, long stamp) {
    MutationBatch edits = new MutationBatch();
    edits.put(CATALOG, 0, STATE, stamp, Bytes.utf8(state.complete() ? "complete" : "rebuilding"));
    if (state.token() == null) {
      edits.deleteColumn(CATALOG, 0, TOKEN, TimeRange.ALL);
    } else {
      edits.put(CATALOG, 0, TOKEN, stamp, bytes(state.token()));
    }
    if (state.period() == 0) {
      edits.deleteColumn(CATALOG, 0, CATALOG_PERIOD, TimeRange.ALL);
    } else {
      byte[] index = ByteBuffer.allocate(Integer.BYTES).putInt(state.period()).array();
      edits.put(CATALOG, 0, CATALOG_PERIOD, stamp, Bytes.of(index));
    }
    apply(edits);
  }

  private int period(Bytes value) {
    int period = value.length() == Integer.BYTES ? ByteBuffer.wrap(value.toArray()).getInt() : -1;
    if (period < 0) {
      throw damaged(CATALOG, "invalid index of a period");
    }
    return period;
  }

  private static Bytes bytes(ResumeToken token) {
    byte[] row = token.row().toArray();
    byte[] qualifier = token.qualifier().toArray();
    ByteBuffer buffer = ByteBuffer.allocate(48 + row.length + qualifier.length);
    buffer.putInt(token.slice()).putInt(token.family()).putLong(token.time());
    buffer.putLong(token.rowsSeen()).putLong(token.cellsSeen());
    buffer.putInt(token.cellsInRow()).putInt(token.versionsSeen());
    buffer.putInt(row.length).put(row).putInt(qualifier.length).put(qualifier);
    return Bytes.of(buffer.array());
  }

  private ResumeToken token(Bytes value) {
    try {
      ByteBuffer buffer = ByteBuffer.wrap(value.toArray());
      int slice = buffer.getInt();
      int family = buffer.getInt();
      long time = buffer.getLong();
      long rowsSeen = buffer.getLong();
      long cellsSeen = buffer.getLong();
      int cellsInRow = buffer.getInt();
      int versionsSeen = buffer.getInt();
      Bytes row = bytes(buffer);
      Bytes qualifier = bytes(buffer);
      return new ResumeToken(
          slice, row, family, qualifier, time, rowsSeen, cellsSeen, cellsInRow, versionsSeen);
    } catch (BufferUnderflowException e) {
      throw damaged(CATALOG, "a token that ends early");
    }
  }

  private Bytes bytes(ByteBuffer buffer) {
    int length = buffer.getInt();
    if (length < 0 || length > TOKEN_MAX) {
      throw damaged(CATALOG, "a token with " + length + " bytes of key");
    }
    byte[] bytes = new byte[length];
    buffer.get(bytes);
    return Bytes.of(bytes);
  }

  /** Deletes everything, so that the dataset is created again. */
  void clear() {
    MutationBatch edits = new MutationBatch();
    CellBatch cells = readAll();
    for (int cell = 0; cell < cells.size(); cell++) {
      edits.deleteRow(cells.row(cell));
    }
    if (!edits.isEmpty()) {
      apply(edits);
    }
  }

  private CellBatch readAll() {
    ReadPlan plan =
        ReadPlan.of(List.of(Slice.partition(Bytes.EMPTY)), List.of(FamilySelect.latest(0)));
    CellBatch all = new CellBatch();
    CellBatch page = new CellBatch();
    try (CellCursor cursor = table.read(plan, null)) {
      while (cursor.next(page)) {
        for (int cell = 0; cell < page.size(); cell++) {
          all.addFrom(page, cell);
        }
      }
    }
    return all;
  }

  private void apply(MutationBatch edits) {
    HomeWrite.apply(table, edits);
  }

  private StoreException damaged(Bytes row, String what) {
    return new StoreException(
        "table '%s' is damaged: row '%s': %s".formatted(table.spec().name(), row.toUtf8(), what));
  }

  @Override
  public void close() {
    table.close();
  }
}
