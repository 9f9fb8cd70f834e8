package dev.varve.layout.contract;

class ColumnPerEventContractTest extends LayoutContract {
  @Override
  protected LayoutFixture fixture() {
    return DeclaredFixture.readyMade(
        "column-per-event",
        "column-per-event{codec.value=1, family.0=d: fields all others; qualifier field, "
            + "offset 4; time server; value one; versions 1, key=metric, tags, resource, "
            + "bucket week, partition=4, resolution=ms, table=column-per-event}");
  }
}
