package dev.varve.layout.contract;

class ValueInQualifierContractTest extends LayoutContract {
  @Override
  protected LayoutFixture fixture() {
    return DeclaredFixture.readyMade(
        "value-in-qualifier",
        "value-in-qualifier{codec.value=1, family.0=d: fields all others; qualifier "
            + "field, value, offset 4; time server; value empty; versions 1, key=metric, tags, "
            + "resource, bucket week, partition=4, resolution=ms, table=value-in-qualifier}");
  }
}
