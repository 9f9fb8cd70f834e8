package dev.varve.layout.contract;

/** One row an event, its partition bounded by a month before the instant. */
class DeclaredEventsByMonthContractTest extends LayoutContract {
  @Override
  protected LayoutFixture fixture() {
    return DeclaredFixture.declared(
        """
        layout: x
        resolution: ns
        key:
          - metric
          - tags
          - resource
          - bucket: month
          - time
        families:
          d: {qualifier: [fixed: e], value: all}
        """,
        "x{codec.packed=1, codec.value=1, family.0=d: fields all others; qualifier fixed "
            + "'e'; time server; value all; versions 1, key=metric, tags, resource, bucket "
            + "month, time, partition=4, resolution=ns, table=x}");
  }
}
