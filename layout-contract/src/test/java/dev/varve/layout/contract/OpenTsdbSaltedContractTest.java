package dev.varve.layout.contract;

import java.util.Map;

/** Every parameter other than the original's default. */
class OpenTsdbSaltedContractTest extends LayoutContract {
  @Override
  protected LayoutFixture fixture() {
    return new OpenTsdbFixture(
        Map.of(
            "metricWidth", "2",
            "tagkWidth", "1",
            "tagvWidth", "4",
            "saltWidth", "1",
            "saltBuckets", "7",
            "time", "milliseconds",
            "float", "4"),
        "opentsdb{codec.cell=1, codec.row=1, float=4, metricWidth=2, saltBuckets=7, saltWidth=1,"
            + " tagkWidth=1, tagvWidth=4, time=milliseconds}");
  }
}
