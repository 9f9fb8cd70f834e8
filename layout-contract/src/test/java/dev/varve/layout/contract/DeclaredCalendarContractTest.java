package dev.varve.layout.contract;

/** Calendar buckets by name before the tags, and finer ones that follow them. */
class DeclaredCalendarContractTest extends LayoutContract {
  @Override
  protected LayoutFixture fixture() {
    return DeclaredFixture.declared(
        """
        layout: x
        key:
          - literal: "v1#"
          - metric: {transform: reverse-domain}
          - bucket: {width: month, label: text}
          - tags
          - bucket: {width: day, order: ascending}
          - resource: {name: pod, transform: reverse}
        families:
          d: {qualifier: [offset: {unit: 1ms}, field]}
        """,
        "x{codec.value=1, family.0=d: fields all others; qualifier offset 4 of 1ms, "
            + "field; time server; value one; versions 1, key=literal 'v1#', metric "
            + "reverse-domain, bucket month label text, tags, bucket day, resource pod "
            + "reverse, partition=3, resolution=ms, table=x}");
  }
}
