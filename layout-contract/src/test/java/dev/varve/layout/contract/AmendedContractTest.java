package dev.varve.layout.contract;

class AmendedContractTest extends LayoutContract {
  @Override
  protected LayoutFixture fixture() {
    return DeclaredFixture.readyMade(
        "amended",
        "amended{codec.value=1, family.0=d: fields all others; qualifier offset 5, "
            + "field; time server; value one; versions all, key=metric, tags, resource, bucket "
            + "year, partition=4, resolution=ms, table=amended}");
  }
}
