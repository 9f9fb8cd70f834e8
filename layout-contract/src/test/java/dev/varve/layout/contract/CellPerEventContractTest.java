package dev.varve.layout.contract;

class CellPerEventContractTest extends LayoutContract {
  @Override
  protected LayoutFixture fixture() {
    return DeclaredFixture.readyMade(
        "cell-per-event",
        "cell-per-event{codec.value=1, family.0=d: fields all others; qualifier field; "
            + "time event; value one; versions all, key=metric, tags, resource, bucket week, "
            + "partition=4, resolution=ms, table=cell-per-event}");
  }
}
