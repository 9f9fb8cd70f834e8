package dev.varve.layout.contract;

import dev.varve.layout.Layout;
import dev.varve.layout.kairosdb.KairosDbLayout;
import dev.varve.model.Attribute;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import dev.varve.store.Cell;
import java.util.List;
import java.util.Map;

/** KairosDB's layout with some parameters. */
class KairosDbFixture implements LayoutFixture {
  private static final GroupKey KEY = GroupKey.of("m", Tags.of("a", "b"));
  private static final String DOUBLE = "000d" + Bytes.utf8("kairos_double").hex();
  private static final Bytes NAN = Bytes.fromHex("7ff8000000000000");

  private final Map<String, String> parameters;
  private final String identity;

  KairosDbFixture(Map<String, String> parameters, String identity) {
    this.parameters = parameters;
    this.identity = identity;
  }

  @Override
  public Layout layout() {
    return KairosDbLayout.of(parameters);
  }

  @Override
  public String identity() {
    return identity;
  }

  @Override
  public List<Outside> outside() {
    Value one = new Value.Int64(1);
    return List.of(
        new Outside.Key(new GroupKey("m", KEY.tags(), Tags.of("host", "h")), "kairosdb.resource"),
        new Outside.Key(GroupKey.of("a\0b", KEY.tags()), "kairosdb.text"),
        new Outside.Key(GroupKey.of("m", Tags.of("a", "")), "kairosdb.text"),
        new Outside.Key(GroupKey.of("m", Tags.of("a", "x\ud800")), "kairosdb.text"),
        new Outside.Key(GroupKey.of("m", Tags.of("a", "x".repeat(65_536))), "kairosdb.key"),
        new Outside.Sample(KEY, "other", 0, one, "kairosdb.field"),
        new Outside.Sample(KEY, "value", Long.MAX_VALUE, one, "kairosdb.time"),
        new Outside.Sample(KEY, "value", Long.MIN_VALUE, one, "kairosdb.time"),
        new Outside.Sample(KEY, "value", 0, new Value.Text("x".repeat(65_536)), "kairosdb.text"),
        new Outside.Attribute(
            new Attribute(KEY, "unit", null, new Value.Text("s")), "kairosdb.attribute"));
  }

  /**
   * Rows without a data type are read and not written, and so are NaNs other than the one that the
   * original knows.
   */
  @Override
  public boolean hasOneForm(int table, Cell cell) {
    String type = cell.row().hex().substring(2 * typeAt(cell.row()));
    if (!type.startsWith("00")) {
      return false;
    }
    boolean nan = type.startsWith(DOUBLE) && isNan(cell.value());
    return !nan || cell.value().equals(NAN);
  }

  /** Returns the index of the data type, which follows the metric, its end and the row time. */
  private static int typeAt(Bytes row) {
    int end = 0;
    while (row.at(end) != 0) {
      end++;
    }
    return end + 1 + 8;
  }

  private static boolean isNan(Bytes value) {
    return value.length() == 8
        && Double.isNaN(Double.longBitsToDouble(Long.parseUnsignedLong(value.hex(), 16)));
  }
}
