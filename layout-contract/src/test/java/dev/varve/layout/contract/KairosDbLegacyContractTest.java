package dev.varve.layout.contract;

import java.util.Map;

/** Columns that are shifted by one bit. */
class KairosDbLegacyContractTest extends LayoutContract {
  @Override
  protected LayoutFixture fixture() {
    return new KairosDbFixture(
        Map.of("unit", "legacy"),
        "kairosdb{codec.tuple=1, rowWidth=1814400000, tagIndexed=, unit=legacy}");
  }
}
