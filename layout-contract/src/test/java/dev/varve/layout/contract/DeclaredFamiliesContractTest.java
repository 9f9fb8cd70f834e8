package dev.varve.layout.contract;

/** Packed fields in one family, a lone one in a second, all others in a third. */
class DeclaredFamiliesContractTest extends LayoutContract {
  @Override
  protected LayoutFixture fixture() {
    return DeclaredFixture.declared(
        """
        layout: x
        key:
          - metric
          - tags
          - bucket: 1d
        families:
          p: {fields: [open, close], qualifier: offset, value: all}
          s: {fields: [state], qualifier: [value, offset], value: empty}
          d: {qualifier: [field, offset]}
        """,
        "x{codec.packed=1, codec.value=1, family.0=p: fields close, open; qualifier "
            + "offset 4; time server; value all; versions 1, family.1=s: fields state; "
            + "qualifier value, offset 4; time server; value empty; versions 1, family.2=d: "
            + "fields all others; qualifier field, offset 4; time server; value one; versions "
            + "1, key=metric, tags, bucket 1d, partition=3, resolution=ms, table=x}");
  }
}
