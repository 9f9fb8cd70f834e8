package dev.varve.layout.contract;

/** Calendar buckets that fall with time. */
class DeclaredFallingYearsContractTest extends LayoutContract {
  @Override
  protected LayoutFixture fixture() {
    return DeclaredFixture.declared(
        """
        layout: x
        resolution: us
        key:
          - metric
          - tags
          - resource
          - bucket: {width: year, order: descending}
        families:
          d: {qualifier: [offset, field], versions: 3}
        """,
        "x{codec.value=1, family.0=d: fields all others; qualifier offset 6, field; time "
            + "server; value one; versions 3, key=metric, tags, resource, bucket year "
            + "descending, partition=4, resolution=us, table=x}");
  }
}
