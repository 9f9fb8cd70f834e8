package dev.varve.layout.contract;

class BucketsContractTest extends LayoutContract {
  @Override
  protected LayoutFixture fixture() {
    return DeclaredFixture.readyMade(
        "buckets",
        "buckets{codec.value=1, family.0=d: fields all others; qualifier offset 4, "
            + "field; time server; value one; versions 1, key=metric, tags, resource, bucket "
            + "1d, partition=4, resolution=ms, table=buckets}");
  }
}
