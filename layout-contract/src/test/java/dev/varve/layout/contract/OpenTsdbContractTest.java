package dev.varve.layout.contract;

import java.util.Map;

class OpenTsdbContractTest extends LayoutContract {
  @Override
  protected LayoutFixture fixture() {
    return new OpenTsdbFixture(
        Map.of(),
        "opentsdb{codec.cell=1, codec.row=1, float=8, metricWidth=3, saltWidth=0, tagkWidth=3,"
            + " tagvWidth=3, time=auto}");
  }
}
