package dev.varve.layout.contract;

/** Amendments as columns beside each other, by field. */
class DeclaredSequenceInQualifierContractTest extends LayoutContract {
  @Override
  protected LayoutFixture fixture() {
    return DeclaredFixture.declared(
        """
        layout: x
        resolution: s
        key:
          - metric
          - tags
          - resource
          - bucket: {width: week, label: text}
        families:
          d: {qualifier: [field, offset, sequence]}
        """,
        "x{codec.value=1, family.0=d: fields all others; qualifier field, offset 3, "
            + "sequence; time server; value one; versions 1, key=metric, tags, resource, "
            + "bucket week label text, partition=4, resolution=s, table=x}");
  }
}
