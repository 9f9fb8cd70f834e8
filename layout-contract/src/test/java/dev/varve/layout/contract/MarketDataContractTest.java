package dev.varve.layout.contract;

class MarketDataContractTest extends LayoutContract {
  @Override
  protected LayoutFixture fixture() {
    return DeclaredFixture.readyMade(
        "market-data",
        "market-data{codec.packed=1, codec.value=1, family.0=d: fields all others; "
            + "qualifier offset 6, sequence; time server; value all; versions 1, key=metric, "
            + "tag exchange, tag symbol, tags, resource, bucket day, partition=6, "
            + "resolution=ns, table=market-data}");
  }
}
