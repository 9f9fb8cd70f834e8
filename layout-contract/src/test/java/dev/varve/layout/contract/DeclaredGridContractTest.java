package dev.varve.layout.contract;

/** Numbers filled up with zeros, times on a grid of 15 minutes, corrections. */
class DeclaredGridContractTest extends LayoutContract {
  @Override
  protected LayoutFixture fixture() {
    return DeclaredFixture.declared(
        """
        layout: x
        resolution: s
        key:
          - metric: {width: 8}
          - tag: {name: meter, transform: zero-pad, digits: 8}
          - bucket: month
        families:
          d: {qualifier: [offset: {unit: 15m}, field], versions: all}
        """,
        "x{codec.value=1, family.0=d: fields all others; qualifier offset 2 of 15m, "
            + "field; time server; value one; versions all, key=metric width 8, tag meter "
            + "zero-pad 8, bucket month, partition=3, resolution=s, table=x}");
  }
}
