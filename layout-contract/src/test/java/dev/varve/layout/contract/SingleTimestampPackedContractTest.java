package dev.varve.layout.contract;

class SingleTimestampPackedContractTest extends LayoutContract {
  @Override
  protected LayoutFixture fixture() {
    return DeclaredFixture.readyMade(
        "single-timestamp-packed",
        "single-timestamp-packed{codec.packed=1, codec.value=1, family.0=d: fields all "
            + "others; qualifier fixed 'e'; time server; value all; versions all, key=metric, "
            + "tags, resource, time, partition=3, resolution=ms, table=single-timestamp-packed}");
  }
}
