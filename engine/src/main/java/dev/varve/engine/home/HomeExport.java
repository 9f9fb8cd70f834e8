package dev.varve.engine.home;

import dev.varve.model.Bytes;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.MutationBatch;
import dev.varve.store.ReadPlan;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UTFDataFormatException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The home of a dataset in a file, with the catalog, for homes in stores outside of this process.
 * It has the tables that are needed to restore the dataset.
 *
 * <pre>
 * name      text        {@value #MAGIC}
 * format    u8          2
 * dataset   text
 * tables:   01, then the name after that of the dataset as a text, then cells, then 00
 *   cell    01, family u8, time i64, then row, qualifier and value, each after its length as an i32
 * 00
 * marks:    01, server i64, mark i64; then 00. Format 1 has no marks and no 00
 * checksum  i32         CRC32C of all bytes before
 * </pre>
 *
 * <p>Texts are UTF-8 after a length of two bytes. The table whose presence marks a home comes last,
 * so that a half-restored home does not count as one, and restoring can be repeated.
 */
public final class HomeExport {
  /** The folder of a snapshot or backup with the homes that are in other stores. */
  public static final String FOLDER = "homes";

  private static final String SUFFIX = ".home";
  private static final String MAGIC = "varve home";
  private static final int FORMAT = 2;

  /** The last format without the marks of the clock. */
  private static final int WITHOUT_MARKS = 1;

  private static final int BATCH_CELLS = 500;
  private static final int BATCH_BYTES = 512 << 10;

  private HomeExport() {}

  private static String prefix(String dataset) {
    return "." + dataset + ".";
  }

  /** Returns the name of the file with the home of a dataset, in {@link #FOLDER}. */
  public static String fileName(String dataset) {
    return dataset + SUFFIX;
  }

  /**
   * Returns the dataset whose home a file of {@link #FOLDER} is; null if no such file has the name.
   */
  public static @Nullable String datasetOf(String fileName) {
    return fileName.endsWith(SUFFIX)
        ? fileName.substring(0, fileName.length() - SUFFIX.length())
        : null;
  }

  /**
   * Writes a home into a new file while others write: each row as it is when it is read. The
   * progress of a rebuild of the catalog is read before the series, so that the file lacks no
   * series that a resumed rebuild would skip. The marks of the clock are read last, so that none is
   * below the times of the cells.
   *
   * @param clock the marks in the store of the home
   * @throws StoreException if the store fails
   */
  public static void write(Home home, ClockTable clock, String dataset, Path file)
      throws IOException {
    CRC32C checksum = new CRC32C();
    try (DataOutputStream out =
        new DataOutputStream(
            new CheckedOutputStream(
                new BufferedOutputStream(
                    Files.newOutputStream(file, StandardOpenOption.CREATE_NEW)),
                checksum))) {
      out.writeUTF(MAGIC);
      out.writeByte(FORMAT);
      out.writeUTF(dataset);
      Map<Table, ReadPlan> tables = home.lasting();
      Table identity = home.identity().table();
      ReadPlan ofIdentity = Objects.requireNonNull(tables.get(identity));
      ByteArrayOutputStream rebuilt = new ByteArrayOutputStream();
      write(identity, ofIdentity, IdentityTable.CATALOG::equals, new DataOutputStream(rebuilt));
      for (Map.Entry<Table, ReadPlan> table : tables.entrySet()) {
        out.writeByte(1);
        out.writeUTF(table.getKey().spec().name().substring(prefix(dataset).length()));
        if (table.getKey().equals(identity)) {
          write(identity, ofIdentity, row -> !row.equals(IdentityTable.CATALOG), out);
          rebuilt.writeTo(out);
        } else {
          write(table.getKey(), table.getValue(), row -> true, out);
        }
        out.writeByte(0);
      }
      out.writeByte(0);
      for (Map.Entry<ServerId, Long> mark : clock.all().entrySet()) {
        out.writeByte(1);
        out.writeLong(mark.getKey().id());
        out.writeLong(mark.getValue());
      }
      out.writeByte(0);
      out.writeInt((int) checksum.getValue());
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  private static void write(Table table, ReadPlan plan, Predicate<Bytes> rows, DataOutputStream out)
      throws IOException {
    try (CellCursor cursor = table.read(plan, null)) {
      CellBatch page = new CellBatch();
      while (cursor.next(page)) {
        for (int cell = 0; cell < page.size(); cell++) {
          if (!rows.test(page.row(cell))) {
            continue;
          }
          out.writeByte(1);
          out.writeByte(page.family(cell));
          out.writeLong(page.time(cell));
          write(page.bytes(), page.rowOffset(cell), page.rowLength(cell), out);
          write(page.bytes(), page.qualifierOffset(cell), page.qualifierLength(cell), out);
          write(page.bytes(), page.valueOffset(cell), page.valueLength(cell), out);
        }
      }
    }
  }

  private static void write(byte[] bytes, int from, int length, DataOutputStream out)
      throws IOException {
    out.writeInt(length);
    out.write(bytes, from, length);
  }

  /** Receives the contents of a file. */
  private interface Reader {
    default void table(String name) throws IOException {}

    default void cell(int family, long time, Bytes row, Bytes qualifier, Bytes value) {}

    /** Ends a table. */
    default void end() {}

    default void mark(ServerId server, long mark) {}

    /** Returns the position in the file, in words; empty if it is unknown. */
    default String place() {
      return "";
    }
  }

  private static void read(Path file, String dataset, Reader into) throws IOException {
    try {
      readWhole(file, dataset, into);
    } catch (EOFException | UTFDataFormatException e) {
      throw new IOException(
          "'%s' ends too early, or is damaged%s".formatted(file, into.place()), e);
    }
  }

  private static void readWhole(Path file, String dataset, Reader into) throws IOException {
    CRC32C checksum = new CRC32C();
    try (DataInputStream in =
        new DataInputStream(
            new CheckedInputStream(
                new BufferedInputStream(Files.newInputStream(file)), checksum))) {
      if (!in.readUTF().equals(MAGIC)) {
        throw new IOException("'%s' is no home of a dataset".formatted(file));
      }
      int format = in.readUnsignedByte();
      if (format < WITHOUT_MARKS || format > FORMAT) {
        throw new IOException(
            "'%s' has format %d, and this version of Varve reads %d to %d"
                .formatted(file, format, WITHOUT_MARKS, FORMAT));
      }
      String of = in.readUTF();
      if (!of.equals(dataset)) {
        throw new IOException(
            "'%s' is the home of dataset '%s', not '%s'".formatted(file, of, dataset));
      }
      while (hasMore(file, in)) {
        into.table(in.readUTF());
        while (hasMore(file, in)) {
          int family = in.readUnsignedByte();
          long time = in.readLong();
          into.cell(family, time, bytes(in), bytes(in), bytes(in));
        }
        into.end();
      }
      while (format > WITHOUT_MARKS && hasMore(file, in)) {
        into.mark(new ServerId(in.readLong()), in.readLong());
      }
      int sum = (int) checksum.getValue();
      if (in.readInt() != sum) {
        throw new IOException("'%s' is damaged: its checksum is of other bytes".formatted(file));
      }
      if (in.read() >= 0) {
        throw new IOException("'%s' goes on after its end".formatted(file));
      }
    }
  }

  private static boolean hasMore(Path file, DataInputStream in) throws IOException {
    int mark = in.readUnsignedByte();
    if (mark > 1) {
      throw new IOException("'%s' is damaged: a mark of %d".formatted(file, mark));
    }
    return mark == 1;
  }

  /**
   * Reads a whole file.
   *
   * @return the number of cells
   * @throws IOException if it is not the home of the dataset, has a format of a later version,
   *     lacks tables or is damaged in another way; the message names the file
   */
  public static long verify(Path file, String dataset) throws IOException {
    return look(file, dataset).cells;
  }

  private static Look look(Path file, String dataset) throws IOException {
    Look look = new Look();
    read(file, dataset, look);
    if (!look.tables.equals(Home.LASTING)) {
      throw new IOException(
          "'%s' is damaged: it has the tables %s instead of %s"
              .formatted(file, look.tables, Home.LASTING));
    }
    return look;
  }

  /** Reads a file without a store. */
  private static final class Look implements Reader {
    private final List<String> tables = new ArrayList<>();
    private final Map<ServerId, Long> marks = new LinkedHashMap<>();
    private long cells;
    private long latest = Long.MIN_VALUE;

    @Override
    public void table(String name) {
      tables.add(name);
    }

    @Override
    public void cell(int family, long time, Bytes row, Bytes qualifier, Bytes value) {
      cells++;
      latest = Math.max(latest, time);
    }

    @Override
    public void mark(ServerId server, long mark) {
      marks.put(server, mark);
      latest = Math.max(latest, mark);
    }

    /**
     * Raises the marks in a store to those of the file. A server without a mark gets the highest
     * stamp in the file: whatever its clock shows, its stamps are then higher than those of the
     * restored cells.
     */
    private void reachMarks(Store store, ServerId server) {
      Map<ServerId, Long> all = new LinkedHashMap<>(marks);
      all.putIfAbsent(server, latest);
      all.forEach((of, mark) -> {
        try (ClockTable clock = new ClockTable(store, of)) {
          clock.reach(mark, 0);
        }
      });
    }

    @Override
    public String place() {
      return tables.isEmpty()
          ? ""
          : ", in table '%s' after %,d cells".formatted(tables.getLast(), cells);
    }
  }

  private static Bytes bytes(DataInputStream in) throws IOException {
    int length = in.readInt();
    byte[] bytes = length < 0 ? new byte[0] : in.readNBytes(length);
    if (bytes.length != length) {
      throw new EOFException("a text of %,d bytes ends after %,d".formatted(length, bytes.length));
    }
    return Bytes.of(bytes);
  }

  /**
   * Writes a home from a file into a store that has no home of the dataset, then compares the store
   * with the file. If the store already has this very home, nothing is written. Marks of the clock
   * that are below those of the file are raised first, since the table with them may be new too.
   *
   * @param server the ID of this server
   * @return the number of cells
   * @throws StoreException if the store has another home of the dataset, fails, or hides cells
   *     because newer ones or deletes are in its tables
   * @throws IOException if the file is damaged; nothing was written then
   */
  public static long restore(Store store, String dataset, ServerId server, Path file)
      throws IOException {
    // Damage is found before anything is written.
    Look look = look(file, dataset);
    try (Home home = Home.open(store, dataset, server)) {
      Into into = new Into(home, dataset, home.identity().made() != null);
      if (!into.isThere) {
        look.reachMarks(store, server);
      }
      read(file, dataset, into);
      return into.cells;
    }
  }

  /**
   * Drops the tables of the home of a dataset that a store has, and restores it from a file. If the
   * process is killed, the store may be left without a home; the call can then be repeated.
   *
   * @see #restore
   */
  public static long replace(Store store, String dataset, ServerId server, Path file)
      throws IOException {
    // A damaged file replaces nothing.
    verify(file, dataset);
    Home.drop(store, dataset);
    return restore(store, dataset, server, file);
  }

  /** The cells of a table, in whatever order. */
  private static final class Sum {
    private long cells;
    private long checksums;

    void add(int family, long time, Bytes row, Bytes qualifier, Bytes value) {
      CRC32C checksum = new CRC32C();
      checksum.update(
          ByteBuffer.allocate(2 * Integer.BYTES + 2 * Long.BYTES)
              .putInt(family)
              .putLong(time)
              .putInt(row.length())
              .putLong(qualifier.length())
              .flip());
      checksum.update(row.toArray());
      checksum.update(qualifier.toArray());
      checksum.update(value.toArray());
      cells++;
      checksums += checksum.getValue();
    }

    boolean isSameAs(Sum other) {
      return cells == other.cells && checksums == other.checksums;
    }
  }

  /**
   * Writes the contents of a file into the tables of a home, or compares them with an existing
   * home.
   */
  private static final class Into implements Reader {
    private final Home home;
    private final String dataset;
    private final String prefix;
    private final boolean isThere;
    private final MutationBatch batch = new MutationBatch();
    private Table table;
    private ReadPlan plan = SeriesTable.everything();
    private Sum wanted = new Sum();
    private long cells;

    private Into(Home home, String dataset, boolean isThere) {
      this.home = home;
      this.dataset = dataset;
      this.prefix = prefix(dataset);
      this.isThere = isThere;
      this.table = home.identity().table();
    }

    @Override
    public void table(String name) throws IOException {
      Map.Entry<Table, ReadPlan> found =
          home.lasting().entrySet().stream()
              .filter(one -> one.getKey().spec().name().equals(prefix + name))
              .findFirst()
              .orElseThrow(() -> new IOException("a home has no table '%s'".formatted(name)));
      table = found.getKey();
      plan = found.getValue();
      wanted = new Sum();
    }

    @Override
    public void cell(int family, long time, Bytes row, Bytes qualifier, Bytes value) {
      wanted.add(family, time, row, qualifier, value);
      if (isThere) {
        return;
      }
      batch.put(row, family, qualifier, time, value);
      if (batch.size() >= BATCH_CELLS || batch.cells().byteCount() >= BATCH_BYTES) {
        flush();
      }
    }

    private void flush() {
      if (!batch.isEmpty()) {
        HomeWrite.apply(table, batch);
        batch.clear();
      }
    }

    @Override
    public void end() {
      flush();
      Sum found = new Sum();
      try (CellCursor cursor = table.read(plan, null)) {
        CellBatch page = new CellBatch();
        while (cursor.next(page)) {
          for (int cell = 0; cell < page.size(); cell++) {
            found.add(
                page.family(cell),
                page.time(cell),
                page.row(cell),
                page.qualifier(cell),
                page.value(cell));
          }
        }
      }
      if (isThere && !found.isSameAs(wanted)) {
        throw new StoreException(
            "the store has another home of dataset '%s', which is not overwritten; 'varve restore homes --replace %s' drops its tables first"
                .formatted(dataset, dataset));
      }
      if (!found.isSameAs(wanted)) {
        throw new StoreException(
            "table '%s' has other cells than were restored, %,d instead of %,d: the tables of that home must be dropped first, whose cells or deletes are newer, as 'varve restore homes --replace %s' does"
                .formatted(table.spec().name(), found.cells, wanted.cells, dataset));
      }
      cells += found.cells;
    }
  }
}
