package dev.varve.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeapSharesTest {
  /** The share left for connections, small caches and the garbage collector. */
  private static final double MARGIN = 0.24;

  @ParameterizedTest
  @ValueSource(longs = {256, 300, 512, 1_024, 2_048, 6_144, 16_384, 65_536, 262_144})
  void togetherLeaveAMarginOfTheHeap(long megabytes) {
    HeapShares shares = new HeapShares(megabytes << 20);
    long together =
        shares.queries() + shares.writes() + shares.cells() + shares.caches() + shares.catalog();
    assertThat(together).isLessThan((long) ((1 - MARGIN) * shares.heap()));
    assertThat(shares.queries()).isPositive();
    assertThat(shares.writes()).isPositive();
  }
}
