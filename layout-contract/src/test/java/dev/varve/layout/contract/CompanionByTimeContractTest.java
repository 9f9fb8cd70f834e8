package dev.varve.layout.contract;

/** The second of the two layouts of {@code companion}. */
class CompanionByTimeContractTest extends LayoutContract {
  @Override
  protected LayoutFixture fixture() {
    return DeclaredFixture.companion(
        "companion",
        1,
        "by-time{codec.value=1, family.0=d: fields all others; qualifier offset 4, "
            + "field; time server; value one; versions 1, key=metric, bucket 1d, tags, "
            + "resource, partition=2, resolution=ms, table=by_time}");
  }
}
