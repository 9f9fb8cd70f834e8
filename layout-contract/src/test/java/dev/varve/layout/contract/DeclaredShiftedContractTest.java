package dev.varve.layout.contract;

/** Cell times of the events, shifted by 50,000 years, in buckets. */
class DeclaredShiftedContractTest extends LayoutContract {
  @Override
  protected LayoutFixture fixture() {
    return DeclaredFixture.declared(
        """
        layout: x
        key:
          - metric
          - tags
          - resource
          - bucket: year
        families:
          d: {qualifier: [fixed: "#", field], time: shifted}
        """,
        "x{codec.value=1, family.0=d: fields all others; qualifier fixed '#', field; "
            + "time shifted 1577847600000000; value one; versions all, key=metric, tags, "
            + "resource, bucket year, partition=4, resolution=ms, table=x}");
  }
}
