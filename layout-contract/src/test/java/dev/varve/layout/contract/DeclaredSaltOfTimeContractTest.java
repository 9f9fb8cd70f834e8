package dev.varve.layout.contract;

/** A salt of the instant: every query reads all prefixes. */
class DeclaredSaltOfTimeContractTest extends LayoutContract {
  @Override
  protected LayoutFixture fixture() {
    return DeclaredFixture.declared(
        """
        layout: x
        key:
          - salt: {buckets: 300, of: [metric, time]}
          - metric
          - tags
          - time
        families:
          d: {qualifier: field}
        """,
        "x{codec.hash=1, codec.value=1, family.0=d: fields all others; qualifier field; "
            + "time server; value one; versions 1, key=salt 300 of metric and time, metric, "
            + "tags, time, partition=3, resolution=ms, table=x}");
  }
}
