package dev.varve.layout.contract;

class PromotedContractTest extends LayoutContract {
  @Override
  protected LayoutFixture fixture() {
    return DeclaredFixture.readyMade(
        "promoted",
        "promoted{codec.value=1, family.0=d: fields all others; qualifier field; time "
            + "server; value one; versions 1, key=metric, tag host, tags, resource, time, "
            + "partition=4, resolution=ms, table=promoted}");
  }
}
