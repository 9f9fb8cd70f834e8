package dev.varve.layout.contract;

class SaltedContractTest extends LayoutContract {
  @Override
  protected LayoutFixture fixture() {
    return DeclaredFixture.readyMade(
        "salted",
        "salted{codec.hash=1, codec.value=1, family.0=d: fields all others; qualifier "
            + "offset 4, field; time server; value one; versions 1, key=salt 16, metric, tags, "
            + "resource, bucket 1d, partition=5, resolution=ms, table=salted}");
  }
}
