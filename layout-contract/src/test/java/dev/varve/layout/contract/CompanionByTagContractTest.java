package dev.varve.layout.contract;

/** The first of the two layouts of {@code companion}. */
class CompanionByTagContractTest extends LayoutContract {
  @Override
  protected LayoutFixture fixture() {
    return DeclaredFixture.companion(
        "companion",
        0,
        "promoted{codec.value=1, family.0=d: fields all others; qualifier field; time "
            + "server; value one; versions 1, key=metric, tag host, tags, resource, time, "
            + "partition=4, resolution=ms, table=by_tag}");
  }
}
