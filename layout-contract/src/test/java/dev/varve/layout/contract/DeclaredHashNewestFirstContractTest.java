package dev.varve.layout.contract;

/** A hash prefix, a tag of fixed width, time that falls. */
class DeclaredHashNewestFirstContractTest extends LayoutContract {
  @Override
  protected LayoutFixture fixture() {
    return DeclaredFixture.declared(
        """
        layout: x
        key:
          - hash: {bytes: 4, of: [metric, tag host]}
          - metric
          - tag: {name: host, width: 6}
          - tags
          - resource
          - time: {order: descending}
        families:
          d: {qualifier: [field, fixed: v]}
        """,
        "x{codec.hash=1, codec.value=1, family.0=d: fields all others; qualifier field, "
            + "fixed 'v'; time server; value one; versions 1, key=hash 4 of metric and tag "
            + "host, metric, tag host width 6, tags, resource, time descending, partition=5, "
            + "resolution=ms, table=x}");
  }
}
