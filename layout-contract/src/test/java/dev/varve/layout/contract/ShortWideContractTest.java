package dev.varve.layout.contract;

class ShortWideContractTest extends LayoutContract {
  @Override
  protected LayoutFixture fixture() {
    return DeclaredFixture.readyMade(
        "short-wide",
        "short-wide{codec.value=1, family.0=d: fields all others; qualifier offset 4, "
            + "field; time server; value one; versions 1, key=metric, tags, resource, bucket "
            + "month label text, partition=4, resolution=ms, table=short-wide}");
  }
}
