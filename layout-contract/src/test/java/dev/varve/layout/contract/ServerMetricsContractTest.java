package dev.varve.layout.contract;

class ServerMetricsContractTest extends LayoutContract {
  @Override
  protected LayoutFixture fixture() {
    return DeclaredFixture.readyMade(
        "server-metrics",
        "server-metrics{codec.value=1, family.0=d: fields all others; qualifier offset "
            + "4, field; time server; value one; versions 1, key=metric, tags, bucket 1d, "
            + "resource, partition=3, resolution=ms, table=server-metrics}");
  }
}
