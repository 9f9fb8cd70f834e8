package dev.varve.layout.contract;

import dev.varve.layout.Layout;
import dev.varve.layout.opentsdb.OpenTsdbLayout;
import dev.varve.model.Attribute;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import dev.varve.store.Cell;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;

/** OpenTSDB's tables, with its annotations, histograms and rollups. */
record OpenTsdbFixture(Map<String, String> parameters, String identity) implements LayoutFixture {
  private static final GroupKey KEY = GroupKey.of("system", Tags.of("host", "a"));
  private static final long HOUR = 1_356_998_400_000L;
  private static final long LAST_SECOND = 4_294_967_295_000L;

  @Override
  public Layout layout() {
    return OpenTsdbLayout.of(parameters);
  }

  @Override
  public List<Outside> outside() {
    Value number = new Value.Int64(1);
    Value raw = new Value.Raw(Bytes.of((byte) 0, (byte) 0));
    return List.of(
        new Outside.Key(GroupKey.of("m", Tags.EMPTY), "opentsdb.tags"),
        new Outside.Key(GroupKey.of("a:b", KEY.tags()), "opentsdb.metric"),
        new Outside.Key(GroupKey.of("m", Tags.of("host", "\u6e29")), "opentsdb.tags"),
        new Outside.Key(GroupKey.of("m", Tags.of("", "a")), "opentsdb.tags"),
        new Outside.Key(new GroupKey("m", KEY.tags(), KEY.tags()), "opentsdb.resource"),
        new Outside.Sample(KEY, "value", 0, number, "opentsdb.time"),
        new Outside.Sample(KEY, "other", HOUR, number, "opentsdb.field"),
        new Outside.Sample(KEY, "value", HOUR, new Value.Text("1"), "opentsdb.kind"),
        new Outside.Sample(KEY, "value", HOUR, new Value.Real(Double.NaN), "opentsdb.number"),
        new Outside.Attribute(new Attribute(KEY, "unit", HOUR, raw), "opentsdb.attribute"),
        new Outside.Attribute(new Attribute(KEY, "histogram", null, raw), "opentsdb.attribute"),
        new Outside.Attribute(new Attribute(KEY, "histogram", 0L, raw), "opentsdb.time"));
  }

  /** The annotation belongs to no series, since those of series name UIDs. */
  @Override
  public List<Attribute> attributes() {
    Value json = new Value.Text("{\"startTime\":1356998460}");
    Value rollup = new Value.Raw(Bytes.fromHex("0051" + "0102"));
    return List.of(
        new Attribute(GroupKey.of("", Tags.EMPTY), "annotation", HOUR + 60_000, json),
        new Attribute(KEY, "histogram", HOUR + 1, new Value.Raw(Bytes.fromHex("000001"))),
        new Attribute(KEY, "rollup.0", HOUR, rollup),
        new Attribute(KEY, "rollup.sum", HOUR, rollup));
  }

  /** Numbers on more bytes than they need, flags that old servers got wrong, the other unit. */
  @Override
  public boolean hasOneForm(int table, Cell cell) {
    Bytes qualifier = cell.qualifier();
    int length = qualifier.length();
    byte[] row = cell.row().toArray();
    long base = layout().rows().time(row, 0, row.length);
    if (length == 3 || length == 5) {
      long time = base + offset(qualifier.slice(1, length), length == 3);
      return qualifier.at(0) != 6 || writesSeconds(time) == (length == 3);
    }
    if (length != 2 && length != 4) {
      return true;
    }
    long bits = number(qualifier).longValue();
    long offset = length == 2 ? 1000 * ((bits >>> 4) & 0xfff) : (bits & 0x0fff_ffc0L) >>> 6;
    int flags = qualifier.at(length - 1) & 0xf;
    boolean mended = (flags & 7) + 1 != cell.value().length();
    return !mended
        && writesSeconds(base + offset) == (length == 2)
        && (flags >= 8 ? isShortestReal(cell) : isShortest(cell));
  }

  private static long offset(Bytes bytes, boolean seconds) {
    return (seconds ? 1000 : 1) * number(bytes).longValue();
  }

  /** Whether a time is written as seconds. */
  private boolean writesSeconds(long time) {
    return parameters.get("time") == null && time % 1000 == 0 && time <= LAST_SECOND;
  }

  private static boolean isShortest(Cell cell) {
    int bits = number(cell.value()).bitLength() + 1;
    return cell.value().length() == (bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8);
  }

  private boolean isShortestReal(Cell cell) {
    double value = Double.longBitsToDouble(number(cell.value()).longValue());
    boolean four = parameters.get("float") != null;
    return four ? cell.value().length() == 4 || (float) value != value : cell.value().length() == 8;
  }

  private static BigInteger number(Bytes bytes) {
    return new BigInteger(bytes.toArray());
  }
}
