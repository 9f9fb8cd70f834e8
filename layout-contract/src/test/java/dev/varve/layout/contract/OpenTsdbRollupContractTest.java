package dev.varve.layout.contract;

import dev.varve.layout.Layout;
import dev.varve.layout.opentsdb.OpenTsdbParameters;
import dev.varve.layout.opentsdb.RollupInterval;
import dev.varve.layout.opentsdb.RollupLayout;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import dev.varve.store.Cell;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** A table of roll-ups of a second, with rows of an hour. */
class OpenTsdbRollupContractTest extends LayoutContract {
  private static final RollupInterval INTERVAL =
      RollupInterval.of("1s", "tsdb-rollup-1s", "tsdb-preagg-1s", "1h", false);

  @Override
  protected LayoutFixture fixture() {
    return new Rollups();
  }

  private record Rollups() implements LayoutFixture {
    private static final GroupKey KEY = GroupKey.of("system", Tags.of("host", "a"));
    private static final long HOUR = 1_356_998_400_000L;

    @Override
    public Layout layout() {
      return new RollupLayout(
          OpenTsdbParameters.of(Map.of("saltWidth", "1")), INTERVAL, Map.of("sum", 0, "count", 1));
    }

    @Override
    public String identity() {
      return "opentsdb-rollup{aggregations=count=1 sum=0, codec.cell=1, codec.row=1, float=8,"
          + " interval=1s, metricWidth=3, rowSpan=1h, saltBuckets=20, saltWidth=1, tagkWidth=3,"
          + " tagvWidth=3}";
    }

    @Override
    public List<String> fields() {
      return List.of("sum", "count");
    }

    @Override
    public long time(Random random) {
      return HOUR + 1_000L * random.nextInt(40_000);
    }

    @Override
    public long holdable(long time) {
      return 1000 * INTERVAL.interval(time / 1000);
    }

    @Override
    public List<Outside> outside() {
      Value number = new Value.Int64(1);
      return List.of(
          new Outside.Key(GroupKey.of("m", Tags.EMPTY), "opentsdb.tags"),
          new Outside.Sample(KEY, "sum", 0, number, "opentsdb.time"),
          new Outside.Sample(KEY, "sum", HOUR + 1, number, "opentsdb.time"),
          new Outside.Sample(KEY, "value", HOUR, number, "opentsdb.field"),
          new Outside.Sample(KEY, "sum", HOUR, new Value.Text("1"), "opentsdb.kind"),
          new Outside.Sample(KEY, "sum", HOUR, new Value.Real(Double.NaN), "opentsdb.number"));
    }

    /** Names of aggregators, numbers on more bytes than they need. */
    @Override
    public boolean hasOneForm(int table, Cell cell) {
      Bytes qualifier = cell.qualifier();
      if (qualifier.length() != 3) {
        return false;
      }
      int flags = qualifier.at(2) & 0xf;
      int bits = new BigInteger(cell.value().toArray()).bitLength() + 1;
      int length = cell.value().length();
      return flags >= 8
          ? length == 8
          : length == (bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8);
    }
  }
}
