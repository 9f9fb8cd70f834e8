package dev.varve.layout.contract;

class NewestFirstContractTest extends LayoutContract {
  @Override
  protected LayoutFixture fixture() {
    return DeclaredFixture.readyMade(
        "newest-first",
        "newest-first{codec.value=1, family.0=d: fields all others; qualifier field; "
            + "time server; value one; versions 1, key=metric, tags, resource, time "
            + "descending, partition=3, resolution=ms, table=newest-first}");
  }
}
