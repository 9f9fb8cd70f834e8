package dev.varve.layout.contract;

import java.util.Map;

class KairosDbContractTest extends LayoutContract {
  @Override
  protected LayoutFixture fixture() {
    return new KairosDbFixture(
        Map.of("tagIndexed", "system;m(m,::)"),
        "kairosdb{codec.tuple=1, rowWidth=1814400000, tagIndexed=m(::,m);system,"
            + " unit=milliseconds}");
  }
}
