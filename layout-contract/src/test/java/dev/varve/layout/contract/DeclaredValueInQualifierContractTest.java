package dev.varve.layout.contract;

/** The value in the qualifier after the time, with its end mark after texts. */
class DeclaredValueInQualifierContractTest extends LayoutContract {
  @Override
  protected LayoutFixture fixture() {
    return DeclaredFixture.declared(
        """
        layout: x
        key:
          - metric
          - resource: pod
          - tags
          - bucket: 6h
        families:
          d: {qualifier: [offset, value, field], value: empty}
        """,
        "x{codec.value=1, family.0=d: fields all others; qualifier offset 4, value, "
            + "field; time server; value empty; versions 1, key=metric, resource pod, tags, "
            + "bucket 6h, partition=4, resolution=ms, table=x}");
  }
}
