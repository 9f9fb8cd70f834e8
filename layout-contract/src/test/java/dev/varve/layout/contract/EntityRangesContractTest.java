package dev.varve.layout.contract;

class EntityRangesContractTest extends LayoutContract {
  @Override
  protected LayoutFixture fixture() {
    return DeclaredFixture.readyMade(
        "entity-ranges",
        "entity-ranges{attributes=m: time server; versions 1, codec.value=1, family.0=t: "
            + "fields all others; qualifier field; time event; value one; versions all, "
            + "key=metric, tags, resource, partition=3, resolution=ms, table=entity-ranges}");
  }
}
