package dev.varve.matrix;

import static com.google.cloud.bigtable.data.v2.models.Filters.FILTERS;

import com.google.cloud.bigtable.admin.v2.BigtableTableAdminClient;
import com.google.cloud.bigtable.admin.v2.BigtableTableAdminSettings;
import com.google.cloud.bigtable.admin.v2.models.CreateTableRequest;
import com.google.cloud.bigtable.data.v2.BigtableDataClient;
import com.google.cloud.bigtable.data.v2.BigtableDataSettings;
import com.google.cloud.bigtable.data.v2.models.BulkMutation;
import com.google.cloud.bigtable.data.v2.models.Filters.Filter;
import com.google.cloud.bigtable.data.v2.models.Mutation;
import com.google.cloud.bigtable.data.v2.models.Query;
import com.google.cloud.bigtable.data.v2.models.Row;
import com.google.cloud.bigtable.data.v2.models.RowCell;
import com.google.cloud.bigtable.data.v2.models.TableId;
import com.google.cloud.bigtable.data.v2.stub.metrics.NoopMetricsProvider;
import com.google.protobuf.ByteString;
import dev.varve.devstores.BigtableEmulator;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Heroic's side of its table in Bigtable: the cells that it writes, how it writes them, and what it
 * reads. It uses Bigtable's client and only the description of the format (spotify/heroic at commit
 * 9a021a7a), and knows nothing of Varve's layout. {@link HeroicTakeoverIT} compares it with cells
 * from Heroic's own classes.
 */
final class HeroicTable implements AutoCloseable {
  /** Milliseconds in a row. */
  static final long ROW = 1L << 32;

  /** The time that makes Bigtable choose the write time of a cell. */
  private static final long SERVER = -1;

  private static final String POINTS = "points";
  private static final int BATCH = 1000;

  /** A point. */
  record Point(GroupKey key, long time, double value) {}

  /** A cell as Bigtable returns it. */
  record Stored(ByteString row, String family, ByteString qualifier, ByteString value) {}

  private final BigtableDataClient data;
  private final BigtableTableAdminClient admin;
  private final String name;

  HeroicTable(BigtableEmulator emulator, String name) throws IOException {
    String project = Objects.requireNonNull(emulator.options().get("project"));
    String instance = Objects.requireNonNull(emulator.options().get("instance"));
    BigtableDataSettings.Builder settings =
        BigtableDataSettings.newBuilderForEmulator("127.0.0.1", emulator.port())
            .setProjectId(project)
            .setInstanceId(instance)
            .setMetricsProvider(NoopMetricsProvider.INSTANCE);
    settings.disableInternalMetrics();
    this.data = BigtableDataClient.create(settings.build());
    this.admin =
        BigtableTableAdminClient.create(
            BigtableTableAdminSettings.newBuilderForEmulator("127.0.0.1", emulator.port())
                .setProjectId(project)
                .setInstanceId(instance)
                .build());
    this.name = name;
  }

  /** Creates the table as Heroic does, with families without garbage collection rules. */
  HeroicTable make(String... families) {
    CreateTableRequest request = CreateTableRequest.of(name);
    for (String family : families) {
      request.addFamily(family);
    }
    admin.createTable(request);
    return this;
  }

  /** Returns every table of the instance with its families and their rules. */
  Map<String, String> schema() {
    Map<String, String> schema = new TreeMap<>();
    for (String table : admin.listTables()) {
      List<String> families =
          admin.getTable(table).getColumnFamilies().stream()
              .map(Object::toString)
              .sorted()
              .toList();
      schema.put(table, families.toString());
    }
    return schema;
  }

  /** Returns the newest cell of each column of the table. */
  Set<Stored> cells() {
    Set<Stored> cells = new HashSet<>();
    Query all = Query.create(TableId.of(name)).filter(FILTERS.limit().cellsPerColumn(1));
    for (Row row : data.readRows(all)) {
      for (RowCell cell : row.getCells()) {
        cells.add(new Stored(row.getKey(), cell.getFamily(), cell.getQualifier(), cell.getValue()));
      }
    }
    return cells;
  }

  /** Returns the content of all columns of the table, and when it was written. */
  Map<String, String> written() {
    Map<String, String> written = new TreeMap<>();
    for (Row row : data.readRows(Query.create(TableId.of(name)))) {
      for (RowCell cell : row.getCells()) {
        String place =
            List.of(row.getKey(), cell.getQualifier()).stream()
                .map(bytes -> HexFormat.of().formatHex(bytes.toByteArray()))
                .collect(Collectors.joining(" ", cell.getFamily() + " ", ""));
        written.merge(
            place,
            HexFormat.of().formatHex(cell.getValue().toByteArray()) + " at " + cell.getTimestamp(),
            (one, other) -> one + ", " + other);
      }
    }
    return written;
  }

  /** Returns the cell of a point. */
  static Stored cell(Point point) {
    long offset = point.time % ROW;
    return new Stored(
        row(point.key, point.time - offset),
        POINTS,
        ByteString.copyFrom(ByteBuffer.allocate(4).putInt(0, (int) offset)),
        ByteString.copyFrom(
            ByteBuffer.allocate(8).putLong(0, Double.doubleToLongBits(point.value))));
  }

  /** Writes points, one cell each. Either of two points in one cell may be written last. */
  void write(Collection<Point> points) {
    write(points.stream().map(HeroicTable::cell).toList());
  }

  void write(List<Stored> cells) {
    for (int from = 0; from < cells.size(); from += BATCH) {
      BulkMutation batch = BulkMutation.create(TableId.of(name));
      for (Stored cell : cells.subList(from, Math.min(cells.size(), from + BATCH))) {
        batch.add(
            cell.row,
            Mutation.createUnsafe().setCell(cell.family, cell.qualifier, SERVER, cell.value));
      }
      data.bulkMutateRows(batch);
    }
  }

  private static ByteString row(GroupKey key, long base) {
    ByteArrayOutputStream row = new ByteArrayOutputStream();
    row.writeBytes(head(key.metric(), key.tags(), base));
    if (!key.resource().isEmpty()) {
      ByteArrayOutputStream resources = new ByteArrayOutputStream();
      number(resources, key.resource().size());
      sorted(key.resource())
          .forEach((resource, value) -> {
            text(resources, resource, false);
            text(resources, value, false);
          });
      number(row, 1);
      number(row, 0);
      number(row, resources.size());
      row.writeBytes(resources.toByteArray());
    }
    return ByteString.copyFrom(row.toByteArray());
  }

  /** Returns the common prefix of the rows of a metric with some tags in a span of time. */
  private static byte[] head(String metric, Tags tags, long base) {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    text(head, metric, true);
    number(head, tags.size());
    sorted(tags)
        .forEach((tag, value) -> {
          text(head, tag, true);
          text(head, value, true);
        });
    head.writeBytes(ByteBuffer.allocate(8).putLong(base).array());
    return head.toByteArray();
  }

  private static Map<String, String> sorted(Tags tags) {
    return new TreeMap<>(tags.toMap());
  }

  private static void text(ByteArrayOutputStream out, String text, boolean withUnits) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    number(out, bytes.length);
    if (withUnits) {
      number(out, text.length());
    }
    out.writeBytes(bytes);
  }

  /**
   * Writes a number with seven bits per byte, the lowest first; each continuation subtracts one.
   */
  private static void number(ByteArrayOutputStream out, int number) {
    int left = number;
    while (left >>> 7 > 0) {
      out.write((left & 0x7f) | 0x80);
      left = (left >>> 7) - 1;
    }
    out.write(left);
  }

  /**
   * Reads as Heroic does: series by series and row by row, from after the start of the range to its
   * end. Heroic never sees points at multiples of {@link #ROW}.
   *
   * @param keys keys of the series that its index would name
   */
  Map<GroupKey, NavigableMap<Long, Double>> read(Set<GroupKey> keys, long start, long end) {
    Map<GroupKey, NavigableMap<Long, Double>> found = new HashMap<>();
    Set<GroupKey> series = new LinkedHashSet<>();
    keys.forEach(key -> series.add(GroupKey.of(key.metric(), key.tags())));
    for (GroupKey one : series) {
      for (long base = start - start % ROW; base <= end; base += ROW) {
        long from = Math.max(start, base);
        long to = Math.min(end, base + ROW - 1);
        if (from < to) {
          readRows(one, base, from - base, to - base, found);
        }
      }
    }
    return found;
  }

  private void readRows(
      GroupKey series,
      long base,
      long after,
      long to,
      Map<GroupKey, NavigableMap<Long, Double>> found) {
    byte[] first = head(series.metric(), series.tags(), base);
    byte[] end = first.clone();
    end[end.length - 1] = 1;
    Filter columns =
        FILTERS
            .qualifier()
            .rangeWithinFamily(POINTS)
            .startOpen(offset(after))
            .endClosed(offset(to));
    Query query =
        Query.create(TableId.of(name))
            .range(ByteString.copyFrom(first), ByteString.copyFrom(end))
            .filter(FILTERS.chain().filter(columns).filter(FILTERS.limit().cellsPerColumn(1)));
    for (Row row : data.readRows(query)) {
      Tags resource = resource(row.getKey().asReadOnlyByteBuffer().position(first.length));
      GroupKey key = new GroupKey(series.metric(), series.tags(), resource);
      NavigableMap<Long, Double> points = found.computeIfAbsent(key, any -> new TreeMap<>());
      for (RowCell cell : row.getCells()) {
        long offset = Integer.toUnsignedLong(cell.getQualifier().asReadOnlyByteBuffer().getInt());
        points.put(base + offset, cell.getValue().asReadOnlyByteBuffer().getDouble());
      }
    }
  }

  private static ByteString offset(long offset) {
    return ByteString.copyFrom(ByteBuffer.allocate(4).putInt(0, (int) offset));
  }

  private static Tags resource(ByteBuffer suffix) {
    Map<String, String> resource = new HashMap<>();
    if (suffix.hasRemaining()) {
      int entries = number(suffix);
      int kind = number(suffix);
      int length = number(suffix);
      if (entries != 1 || kind != 0 || length != suffix.remaining()) {
        throw new IllegalStateException("Heroic would not read this suffix");
      }
      for (int left = number(suffix); left > 0; left--) {
        resource.put(text(suffix), text(suffix));
      }
    }
    return Tags.of(resource);
  }

  private static int number(ByteBuffer in) {
    int number = 0;
    for (int shift = 0; ; shift += 7) {
      int next = in.get() & 0xff;
      number += ((next & 0x7f) + (shift == 0 ? 0 : 1)) << shift;
      if (next < 0x80) {
        return number;
      }
    }
  }

  private static String text(ByteBuffer in) {
    byte[] bytes = new byte[number(in)];
    in.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    data.close();
    admin.close();
  }
}
