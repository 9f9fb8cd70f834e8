package dev.varve.layout.contract;

class SmartMetersContractTest extends LayoutContract {
  @Override
  protected LayoutFixture fixture() {
    return DeclaredFixture.readyMade(
        "smart-meters",
        "smart-meters{codec.value=1, family.0=d: fields all others; qualifier offset 3 "
            + "of 1s, field; time server; value one; versions all, key=metric, tag region, tag "
            + "meter, tags, resource, bucket month, partition=6, resolution=s, "
            + "table=smart-meters}");
  }
}
