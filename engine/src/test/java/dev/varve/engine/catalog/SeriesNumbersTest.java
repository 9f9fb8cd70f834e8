package dev.varve.engine.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SeriesNumbersTest {
  private static final String FIELD = "value";

  /** Rows of the home are in the order of identities, which is none of the numbers. */
  @Test
  void numbersAreLoadedInAnyOrder() {
    SeriesNumbers numbers = new SeriesNumbers();
    int count = 50_000;
    for (int key = 0; key < count; key++) {
      numbers.load(key, "m", FIELD, count - 1 - key, 0);
    }
    assertThat(numbers.size()).isEqualTo(count);
    for (int key = 0; key < count; key++) {
      assertThat(numbers.find(key, FIELD)).isEqualTo(count - 1 - key);
      assertThat(numbers.key(count - 1 - key)).isEqualTo(key);
    }
  }

  @Test
  void reservedNumbersAreNotAssigned() {
    SeriesNumbers numbers = new SeriesNumbers();
    numbers.load(0, "m", FIELD, 2, 5);
    numbers.reserve(7, 9);
    numbers.reserve(2, 1);
    assertThat(numbers.metric(2)).isEqualTo(5);
    assertThat(numbers.key(7)).isEqualTo(-1);
    assertThat(numbers.metric(7)).isEqualTo(9);
    int assigned = numbers.assign(-1, new SeriesIdentity(1, 2), "other", FIELD);
    assertThat(assigned).isEqualTo(8);
    assertThat(numbers.metric(assigned)).isEqualTo(10);
  }

  /** Three writes make a series at once, and the one between the others has not seen the first. */
  @Test
  void aNumberThatWasAssignedTooLateReplacesNone() {
    SeriesNumbers numbers = new SeriesNumbers();
    SeriesIdentity identity = new SeriesIdentity(1, 2);
    int first = numbers.assign(-1, identity, "m", FIELD);
    int last = numbers.assign(-1, identity, "m", FIELD);
    assertThat(last).isEqualTo(first);
    numbers.settle(0, identity, FIELD, first);
    int late = numbers.assign(-1, identity, "m", FIELD);
    assertThat(late).isNotEqualTo(first);
    numbers.settle(0, identity, FIELD, last);
    assertThat(numbers.find(0, FIELD)).isEqualTo(first);
    assertThat(numbers.key(first)).isZero();
    assertThat(numbers.key(late)).isEqualTo(SeriesNumbers.NONE);
  }
}
