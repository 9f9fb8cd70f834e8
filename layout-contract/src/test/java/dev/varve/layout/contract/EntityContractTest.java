package dev.varve.layout.contract;

class EntityContractTest extends LayoutContract {
  @Override
  protected LayoutFixture fixture() {
    return DeclaredFixture.readyMade(
        "entity",
        "entity{attributes=metadata: time shifted 1577847600000000; versions 1, "
            + "codec.value=1, family.0=timeseries: fields all others; qualifier field; time "
            + "event; value one; versions all, key=metric, tags, resource, partition=3, "
            + "resolution=ms, table=entity}");
  }
}
