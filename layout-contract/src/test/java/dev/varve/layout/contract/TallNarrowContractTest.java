package dev.varve.layout.contract;

class TallNarrowContractTest extends LayoutContract {
  @Override
  protected LayoutFixture fixture() {
    return DeclaredFixture.readyMade(
        "tall-narrow",
        "tall-narrow{codec.value=1, family.0=d: fields all others; qualifier field; time "
            + "server; value one; versions 1, key=metric, tags, resource, time, partition=3, "
            + "resolution=ms, table=tall-narrow}");
  }
}
