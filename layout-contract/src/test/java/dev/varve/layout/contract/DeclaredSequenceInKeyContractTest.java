package dev.varve.layout.contract;

/** Each acceptance is a row: all amendments are kept. */
class DeclaredSequenceInKeyContractTest extends LayoutContract {
  @Override
  protected LayoutFixture fixture() {
    return DeclaredFixture.declared(
        """
        layout: x
        key:
          - metric
          - tags
          - resource
          - time
          - sequence
        families:
          d: {qualifier: field}
        """,
        "x{codec.value=1, family.0=d: fields all others; qualifier field; time server; "
            + "value one; versions 1, key=metric, tags, resource, time, sequence, partition=3, "
            + "resolution=ms, table=x}");
  }
}
