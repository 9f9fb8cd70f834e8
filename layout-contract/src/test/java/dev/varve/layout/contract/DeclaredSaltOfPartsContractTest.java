package dev.varve.layout.contract;

/** A salt over chosen parts, the bucket among them, of a count that is not a power of two. */
class DeclaredSaltOfPartsContractTest extends LayoutContract {
  @Override
  protected LayoutFixture fixture() {
    return DeclaredFixture.declared(
        """
        layout: x
        key:
          - salt: {buckets: 7, of: [tag host, bucket]}
          - metric
          - tag: host
          - tags
          - resource
          - bucket: 1h
        families:
          d: {qualifier: [field, offset: 5]}
        """,
        "x{codec.hash=1, codec.value=1, family.0=d: fields all others; qualifier field, "
            + "offset 5; time server; value one; versions 1, key=salt 7 of tag host and "
            + "bucket, metric, tag host, tags, resource, bucket 1h, partition=6, "
            + "resolution=ms, table=x}");
  }
}
